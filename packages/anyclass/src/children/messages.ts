// Messages between a run's process and its parent: events in one direction, verdicts in the other.

import type { RunEvent } from '../events/runEvent.js';

/** Set in a child's environment: `judges` if the parent answers each epoch, otherwise `follows`. */
export const parentVariable = 'ANYCLASS_PARENT';

/** Set for processes that report their errors to their launcher. */
export const launcherVariable = 'ANYCLASS_LAUNCHER';

/** The parent's answer after an epoch: whether the run should stop. */
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
