import type { Terminal } from './terminal.js';

export interface Interruption extends Disposable {
  readonly signal: AbortSignal;
  /** 128 and the signal's number, as shells have it. */
  exitCode(): number;
}

/** The first Ctrl-C (or SIGTERM) asks the work to save and end, a second one ends it at once. */
export function interruptible(terminal: Pick<Terminal, 'note'>): Interruption {
  const controller = new AbortController();
  let code = 1;
  const stop = (number: number) => () => {
    if (controller.signal.aborted) process.exit(128 + number);
    code = 128 + number;
    terminal.note('\nsaving a checkpoint; once more to end at once');
    controller.abort();
  };
  const [onInterrupt, onTerminate] = [stop(2), stop(15)];
  process.on('SIGINT', onInterrupt);
  process.on('SIGTERM', onTerminate);
  return {
    signal: controller.signal,
    exitCode: () => code,
    [Symbol.dispose]() {
      process.off('SIGINT', onInterrupt);
      process.off('SIGTERM', onTerminate);
    },
  };
}
