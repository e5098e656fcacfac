// Names of runs, classes, groups and files may hold characters that act on the text around them: marks that turn it, controls. Every text
// that the page draws passes here, so that no view can forget it.

import { visible } from '@anyclass/kit';
import { options, type VNode } from 'preact';

/** Attributes that are read by people. */
const read = ['title', 'aria-label', 'placeholder', 'alt', 'label'] as const;

/** From now on, texts of the page show control characters and bidirectional marks by name, as reports do. */
export function showMarks(): void {
  const before = options.vnode;
  options.vnode = (node) => {
    showIn(node);
    before?.(node);
  };
}

function showIn(node: VNode): void {
  const { type, props }: { readonly type: unknown; readonly props: unknown } = node;
  // A text is a node without a type whose props are the text itself.
  if (type === null && typeof props === 'string') Object.assign(node, { props: visible(props) });
  if (typeof type !== 'string' || typeof props !== 'object' || props === null) return;
  for (const name of read) {
    const value: unknown = Reflect.get(props, name);
    if (typeof value === 'string') Reflect.set(props, name, visible(value));
  }
}
