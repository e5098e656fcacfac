// Keys of the views. A view adds its own while it is shown; the shell lists them.

import { signal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';

export interface Shortcut {
  /** As in `KeyboardEvent.key`; with `Shift+` for the shift key. */
  readonly key: string;
  /** How the list shows it, if not as `key`. */
  readonly shown?: string;
  /** What it does, for the list; without, it is not listed. */
  readonly text?: string;
  readonly act: () => void;
}

/** How the list shows a key, and what the key does. */
export interface KeyLine {
  readonly shown: string;
  readonly text: string;
}

/** The list of keys of the page and of the view. Changes only when what it shows changes. */
export const keyLines = signal<readonly KeyLine[]>([]);

/** The keys of each component that is shown, as of its last rendering. */
const components = new Set<{ own: readonly Shortcut[] }>();

/**
 * Adds keys while a component is shown. `act` may change from one rendering to the next. The keys work before the component is painted,
 * so that none is lost that is pressed as soon as it is seen.
 */
export function useShortcuts(own: readonly Shortcut[]): void {
  const component = useRef({ own }).current;
  useLayoutEffect(() => {
    components.add(component);
    return () => {
      components.delete(component);
      list();
    };
  }, [component]);
  useLayoutEffect(() => {
    component.own = own;
    list();
  });
}

function all(): Shortcut[] {
  return [...components].flatMap(({ own }) => own);
}

function list(): void {
  const lines = all().flatMap(({ key, shown = key, text }) => (text === undefined ? [] : [{ shown, text }]));
  if (JSON.stringify(lines) !== JSON.stringify(keyLines.peek())) keyLines.value = lines;
}

addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
  if (event.target instanceof HTMLElement && event.target.closest('input, select, textarea, dialog')) {
    // Leaves a field, so that the keys of the view work again.
    if (event.key === 'Escape' && !event.target.closest('dialog')) event.target.blur();
    return;
  }
  const key = event.shiftKey && event.key.length > 1 ? `Shift+${event.key}` : event.key;
  const found = all().findLast((shortcut) => shortcut.key === key);
  if (!found) return;
  event.preventDefault();
  found.act();
});
