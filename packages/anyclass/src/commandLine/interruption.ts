// Ctrl-C, for work that can be resumed.

import { constants } from 'node:os';
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

type Signal = 'SIGINT' | 'SIGTERM';

function codeOf(signal: Signal): number {
  return 128 + constants.signals[signal];
}

/**
 * Ends the process by a signal, after what is done at every exit. An exit alone would wait for the threads that read files, of which one
 * may wait for ever for a pipe.
 */
function endBy(signal: Signal): never {
  process.once('exit', () => {
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
  process.exit(codeOf(signal));
}

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
  const endSoon = (signal: Signal, left = 4 * seconds) => {
    timer = setTimeout(() => {
      if (left > 1) return endSoon(signal, left - 1);
      terminal.note(`Still busy after ${seconds} s; quitting`);
      ending.abort();
      endBy(signal);
    }, 250).unref();
  };
  const stop = (signal: Signal) => () => {
    if (saving.signal.aborted) {
      if (performance.now() - noticed < unheard) return;
      ending.abort();
      endBy(signal);
    }
    code = codeOf(signal);
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
