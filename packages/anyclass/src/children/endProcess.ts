// How a process ends one of whose threads may wait for a pipe: an exit waits for the threads that read files.

import { constants } from 'node:os';

export type EndingSignal = 'SIGINT' | 'SIGTERM';

/** What a process exits with after a signal, as in shells. */
export function exitCodeOf(signal: EndingSignal): number {
  return 128 + constants.signals[signal];
}

/** Ends the process by a signal, after what is done at every exit, whatever its threads wait for. */
export function endBy(signal: EndingSignal): never {
  process.once('exit', () => {
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
  process.exit(exitCodeOf(signal));
}

/** Does what SIGTERM does: whoever listens saves, and ends the process in time; if nobody does, it ends now. */
export function endSoon(): void {
  if (process.listenerCount('SIGTERM') === 0) endBy('SIGTERM');
  process.kill(process.pid, 'SIGTERM');
}

/** Ends the process with the exit code that was set; by SIGTERM if a thread still waits for a file, since only a signal ends that. */
export function endNow(): never {
  if (process.getActiveResourcesInfo().some((name) => name.startsWith('FSReq'))) endBy('SIGTERM');
  process.exit();
}
