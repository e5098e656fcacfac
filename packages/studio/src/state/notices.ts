// Short messages at the edge of the page.

import { signal } from '@preact/signals';

export interface Notice {
  readonly id: number;
  readonly text: string;
  readonly isProblem: boolean;
}

export const notices = signal<readonly Notice[]>([]);
let count = 0;

/** Milliseconds that a message stays; problems stay until they are closed. */
const stay = 6000;

/** Shows a message. */
export function notify(text: string, options: { isProblem?: boolean } = {}): void {
  const { isProblem = false } = options;
  const notice = { id: count++, text, isProblem };
  notices.value = [...notices.value.filter((other) => other.text !== text), notice];
  if (!isProblem) setTimeout(() => dismiss(notice.id), stay);
}

export function dismiss(id: number): void {
  notices.value = notices.value.filter((notice) => notice.id !== id);
}
