// The state of the page is in its address: a reload, the back button and a copied link show the same.

import { signal } from '@preact/signals';

/** The query of the address. */
export const address = signal(new URLSearchParams(location.search));

addEventListener('popstate', () => {
  address.value = new URLSearchParams(location.search);
});

/** Changes to the address; null removes a value. */
export type AddressChanges = Readonly<Record<string, string | number | null>>;

/** What belongs to one run, and means nothing for another. */
const ofOneRun = ['lasso', 'saved', 'trained'];

/** Returns the address with changes, for a link. */
export function linkTo(changes: AddressChanges): string {
  const next = new URLSearchParams(address.value);
  if (changes['run'] !== undefined && changes['run'] !== next.get('run'))
    for (const name of ofOneRun) next.delete(name);
  for (const [name, value] of Object.entries(changes)) {
    if (value === null || value === '') next.delete(name);
    else next.set(name, String(value));
  }
  return `/?${next}`;
}

/**
 * Goes to the address with changes. What changes with every movement, such as a handle, replaces the address instead of adding a step
 * to the history.
 *
 * @example
 * go({ view: 'run', run: 'compare/bce-1' })
 * go({ budget: 0.02 }, 'replace')
 */
export function go(changes: AddressChanges, how: 'push' | 'replace' = 'push'): void {
  const next = linkTo(changes);
  if (next === location.pathname + location.search) return;
  if (how === 'push') history.pushState(null, '', next);
  else history.replaceState(null, '', next);
  address.value = new URLSearchParams(location.search);
}

/** Follows a link within the page without loading it again; links with modifier keys are the browser's. */
export function followed(event: MouseEvent): void {
  if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  const link = event.target instanceof Element ? event.target.closest('a') : null;
  if (link?.origin !== location.origin || link.pathname !== '/' || link.target !== '') return;
  event.preventDefault();
  history.pushState(null, '', link.search === '' ? '/' : link.search);
  address.value = new URLSearchParams(location.search);
}
