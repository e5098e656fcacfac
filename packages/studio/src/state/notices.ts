// Short messages at the edge of the page.

import { signal } from '@preact/signals';

export interface Notice {
  readonly id: number;
  readonly text: string;
  readonly isProblem: boolean;
  /** What the user can do about it, such as undo. */
  readonly action?: { readonly name: string; readonly act: () => void };
}

export const notices = signal<readonly Notice[]>([]);
let count = 0;

/** Milliseconds that a message stays; problems stay until they are closed. */
const stay = 6000;

/** Shows a message. */
export function notify(text: string, options: { isProblem?: boolean; action?: Notice['action'] } = {}): void {
  const { isProblem = false, action } = options;
  const notice = { id: count++, text, isProblem, ...(action && { action }) };
  notices.value = [...notices.value.filter((other) => other.text !== text), notice];
  if (!isProblem) setTimeout(() => dismiss(notice.id), stay);
}

export function dismiss(id: number): void {
  notices.value = notices.value.filter((notice) => notice.id !== id);
}
