// Ctrl-C, for work that can be resumed.

import { type EndingSignal, endBy, exitCodeOf } from '../children/endProcess.js';
import { UserError } from '../errors/userError.js';
import type { Terminal } from './terminal.js';

export interface Interruption extends Disposable {
  /** Aborted by the first Ctrl-C or SIGTERM: the work saves and stops. The reason is a UserError with the exit code. */
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
 * the process immediately. If the work has not stopped after some seconds, the process ends too.
 *
 * @example
 * using interruption = interruptible(terminal);
 * await train(configuration, { signal: interruption.signal });
 */
export function interruptible(
  terminal: Pick<Terminal, 'note'>,
  saying = 'Saving a checkpoint; press Ctrl-C again to quit immediately',
  seconds = 10,
): Interruption {
  const [saving, ending] = [new AbortController(), new AbortController()];
  let code = 1;
  let noticed = 0;
  let timer: NodeJS.Timeout | undefined;
  /**
   * Ends the process if the work does not, whatever it waits for. In steps, so that time in which the process
   * computes without listening, such as a long training step, counts only as one.
   */
  const endSoon = (signal: EndingSignal, left = 4 * seconds) => {
    timer = setTimeout(() => {
      if (left > 1) return endSoon(signal, left - 1);
      terminal.note(`Still busy after ${seconds} s; quitting`);
      ending.abort();
      endBy(signal);
    }, 250).unref();
  };
  const stop = (signal: EndingSignal) => () => {
    if (saving.signal.aborted) {
      if (performance.now() - noticed < unheard) return;
      ending.abort();
      endBy(signal);
    }
    code = exitCodeOf(signal);
    noticed = performance.now();
    terminal.note(`\n${saying}`);
    saving.abort(new UserError('Interrupted', { exitCode: code }));
    endSoon(signal);
  };
  const [onInterrupt, onTerminate] = [stop('SIGINT'), stop('SIGTERM')];
  process.on('SIGINT', onInterrupt);
  process.on('SIGTERM', onTerminate);
  return {
    signal: saving.signal,
    kill: ending.signal,
    exitCode: () => code,
    [Symbol.dispose]() {
      clearTimeout(timer);
      process.off('SIGINT', onInterrupt);
      process.off('SIGTERM', onTerminate);
    },
  };
}
