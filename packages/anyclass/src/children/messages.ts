// What a run's process and the process that started it say to each other: events in one direction, verdicts in the other.

import type { RunEvent } from '../events/runEvent.js';

/** Set for a child: `judges` where the parent answers each epoch, else `follows`. */
export const parentVariable = 'ANYCLASS_PARENT';

/** The answer to an epoch: whether the run is to end. */
export interface ParentMessage {
  readonly kind: 'verdict';
  readonly isOver: boolean;
}

export function isRunEvent(message: unknown): message is RunEvent {
  return typeof message === 'object' && message !== null && 'type' in message;
}

export function isParentMessage(message: unknown): message is ParentMessage {
  return typeof message === 'object' && message !== null && 'kind' in message && message.kind === 'verdict';
}
