// Ctrl-C, for work that can be resumed.

import type { Terminal } from './terminal.js';

export interface Interruption extends Disposable {
  /** Aborted by the first Ctrl-C or SIGTERM: the work saves and stops. */
  readonly signal: AbortSignal;
  /** Aborted by the second one, which ends this process and everything it started. */
  readonly kill: AbortSignal;
  /** 128 plus the signal number, as in shells. */
  exitCode(): number;
}

/**
 * Milliseconds after the first signal in which a second one is ignored. No one reacts to a notice this fast:
 * the user pressed Ctrl-C twice while a long step delayed the handling of the first.
 */
const unheard = 500;

/**
 * Handles Ctrl-C and SIGTERM until disposed: the first one asks the work to save and stop, a second one ends
 * the process immediately.
 *
 * @example
 * using interruption = interruptible(terminal);
 * await train(configuration, { signal: interruption.signal });
 */
export function interruptible(
  terminal: Pick<Terminal, 'note'>,
  saying = 'Saving a checkpoint; press Ctrl-C again to quit immediately',
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
