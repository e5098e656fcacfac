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
 * Nobody answers a notice so soon: such a signal came while a long step kept the first one waiting, from someone who thought
 * that it had not been heard.
 */
const unheard = 500;

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
  let noticed = 0;
  const stop = (number: number) => () => {
    if (saving.signal.aborted) {
      if (performance.now() - noticed < unheard) return;
      ending.abort();
      process.exit(128 + number);
    }
    code = 128 + number;
    noticed = performance.now();
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
