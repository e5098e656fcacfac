// Ctrl-C, for work that can be gone on with.

import type { Terminal } from './terminal.js';

export interface Interruption extends Disposable {
  /** Aborted by the first signal: the work saves and ends. */
  readonly signal: AbortSignal;
  /** Aborted by the second, at which this process ends: what it started ends with it. */
  readonly kill: AbortSignal;
  /** 128 and the signal's number, as shells have it. */
  exitCode(): number;
}

/**
 * The first Ctrl-C (or SIGTERM) asks the work to save and end, a second one ends it at once.
 *
 * @example
 * using interruption = interruptible(terminal);
 * await train(configuration, { signal: interruption.signal });
 */
export function interruptible(
  terminal: Pick<Terminal, 'note'>,
  saying = 'saving a checkpoint; once more to end at once',
): Interruption {
  const [saving, ending] = [new AbortController(), new AbortController()];
  let code = 1;
  const stop = (number: number) => () => {
    code = 128 + number;
    if (saving.signal.aborted) {
      ending.abort();
      process.exit(code);
    }
    terminal.note(`\n${saying}`);
    saving.abort();
  };
  const [onInterrupt, onTerminate] = [stop(2), stop(15)];
  process.on('SIGINT', onInterrupt);
  process.on('SIGTERM', onTerminate);
  return {
    signal: saving.signal,
    kill: ending.signal,
    exitCode: () => code,
    [Symbol.dispose]() {
      process.off('SIGINT', onInterrupt);
      process.off('SIGTERM', onTerminate);
    },
  };
}
