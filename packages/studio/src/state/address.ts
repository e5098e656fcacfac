// The state of the page is in its address: a reload, the back button and a copied link show the same.

import { signal } from '@preact/signals';

/** The query of the address. What moves with a handle is here at once, and in the browser's address a moment later. */
export const address = signal(new URLSearchParams(location.search));

/**
 * Browsers limit how often their address may change: Chromium drops more than 200 in 10 seconds, Safari refuses more than 100 in 30. So
 * only the first `mostAtOnce` in `span` milliseconds are written at once, and further ones every `writeEvery`.
 */
const [span, mostAtOnce, writeEvery] = [30_000, 40, 600];
let written: readonly number[] = [];
let writing: ReturnType<typeof setTimeout> | undefined;

/** Writes what is shown into the browser's address. */
function write(): void {
  clearTimeout(writing);
  writing = undefined;
  const shown = pathOf(address.value);
  if (shown === location.pathname + location.search) return;
  const now = performance.now();
  written = [...written.filter((time) => now - time < span), now];
  history.replaceState(null, '', shown);
}

addEventListener('popstate', () => {
  clearTimeout(writing);
  writing = undefined;
  address.value = new URLSearchParams(location.search);
});
addEventListener('pagehide', write);

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
  return pathOf(next);
}

function pathOf(query: URLSearchParams): string {
  const text = query.toString();
  return text === '' ? '/' : `/?${text}`;
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
  if (next === pathOf(address.value)) return;
  if (how === 'push') {
    push(next);
    return;
  }
  address.value = new URLSearchParams(next.slice(1));
  if (writing !== undefined) return;
  const since = performance.now() - (written.at(-1) ?? Number.NEGATIVE_INFINITY);
  if (written.length < mostAtOnce || since > writeEvery) write();
  else writing = setTimeout(write, writeEvery - since);
}

function push(path: string): void {
  write();
  history.pushState(null, '', path);
  address.value = new URLSearchParams(location.search);
}

/** Follows a link within the page without loading it again; links with modifier keys are the browser's. */
export function followed(event: MouseEvent): void {
  if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  const link = event.target instanceof Element ? event.target.closest('a') : null;
  if (link?.origin !== location.origin || link.pathname !== '/' || link.target !== '') return;
  event.preventDefault();
  push(`/${link.search}`);
}
