// The other end of `childRun`: a run's process reports to the one that started it. When that one is gone, however it ended,
// the run saves a checkpoint and ends as after Ctrl-C.

import { messageOf } from '../errors/reasonOf.js';
import { UserError } from '../errors/userError.js';
import type { RunEvent } from '../events/runEvent.js';
import { limitedRate } from '../runs/eventLog.js';
import { isParentMessage, parentVariable } from './messages.js';
import { launcherVariable } from './ranks/rankFailure.js';

export interface ParentLink extends Disposable {
  emit(event: RunEvent): void;
  /** Reports an error that no event told of. */
  fail(run: string, error: unknown): void;
  /** Aborted when the parent is gone. */
  readonly signal: AbortSignal;
  /** Where the parent judges each epoch: whether the run is to end. */
  readonly onEpoch: (() => Promise<boolean>) | undefined;
}

const eventsEvery = 200;

/**
 * The link to the process that started this one as a child run; undefined in any other process.
 *
 * @example
 * using parent = connectParent();
 * await train(configuration, { onEvent: (event) => parent?.emit(event) });
 */
export function connectParent(): ParentLink | undefined {
  const role = process.env[parentVariable];
  if (role === undefined || process.send === undefined) return undefined;
  const gone = new AbortController();
  const waiting: ((isOver: boolean) => void)[] = [];
  const passes = limitedRate(eventsEvery);
  let hasFailed = false;
  const emit = (event: RunEvent) => {
    if (event.type === 'failed') hasFailed = true;
    if (process.connected && passes(event)) process.send?.(event, () => {});
  };
  const onDisconnect = () => {
    gone.abort();
    for (const answer of waiting.splice(0)) answer(true);
  };
  const onMessage = (message: unknown) => {
    if (isParentMessage(message)) waiting.shift()?.(message.isOver);
  };
  process.on('disconnect', onDisconnect);
  process.on('message', onMessage);
  // A rank has let go of it (endWithLauncher), and would end while it waits for a verdict.
  process.channel?.ref();
  if (!process.connected) onDisconnect();
  const verdict = () =>
    process.connected ? new Promise<boolean>((resolve) => waiting.push(resolve)) : Promise.resolve(true);
  return {
    emit,
    fail(run, error) {
      if (hasFailed) return;
      const code = error instanceof UserError ? error.code : undefined;
      emit({ type: 'failed', run, message: messageOf(error), ...(code && { code }) });
    },
    signal: gone.signal,
    onEpoch: role === 'judges' ? verdict : undefined,
    [Symbol.dispose]() {
      process.off('disconnect', onDisconnect);
      process.off('message', onMessage);
      // A rank still has to tell its launcher why it failed, but does not stay for it.
      if (process.env[launcherVariable] !== undefined) process.channel?.unref();
      else if (process.connected) process.disconnect();
    },
  };
}
