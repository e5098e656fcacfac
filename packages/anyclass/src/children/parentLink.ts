// The other end of `childRun`: a run's process reports to the process that started it. If that process goes
// away for any reason, the run saves a checkpoint and stops, as after Ctrl-C.

import { messageOf } from '../errors/reasonOf.js';
import { UserError } from '../errors/userError.js';
import type { RunEvent } from '../events/runEvent.js';
import { limitedRate } from '../runs/eventLog.js';
import { endSoon } from './endProcess.js';
import { isParentMessage, launcherVariable, parentVariable } from './messages.js';

export interface ParentLink extends Disposable {
  emit(event: RunEvent): void;
  /** Reports an error, unless a `failed` event already did. */
  fail(run: string, error: unknown): void;
  /** Aborted when the parent is gone. */
  readonly signal: AbortSignal;
  /** Asks the parent after each epoch whether to stop; undefined if the parent does not judge epochs. */
  readonly onEpoch: (() => Promise<boolean>) | undefined;
}

const eventsEvery = 200;

/**
 * Connects to the process that started this one as a child run; undefined in any other process.
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
    // In time, whatever the run waits for; a rank does so anyway.
    if (process.env[launcherVariable] === undefined) endSoon();
  };
  const onMessage = (message: unknown) => {
    if (isParentMessage(message)) waiting.shift()?.(message.isOver);
  };
  process.on('disconnect', onDisconnect);
  process.on('message', onMessage);
  // A rank has unreferenced the channel (endWithLauncher) and would exit while waiting for a verdict.
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
      // A rank still has to tell its launcher why it failed, but the channel must not keep it alive.
      if (process.env[launcherVariable] !== undefined) process.channel?.unref();
      else if (process.connected) process.disconnect();
    },
  };
}
