// What a command writes to: standard output for results, standard error for everything on the way.

import type { RunEventListener } from '../events/runEvent.js';
import { errorCode, fileProblem } from '../files/fileProblem.js';
import { runDisplay } from './display/runDisplay.js';

export interface Terminal {
  /** A result, to standard output. */
  print(text: string): void;
  /** A remark, to standard error. */
  note(text: string): void;
  /** Shows what long work reports, on standard error. */
  readonly onEvent: RunEventListener;
}

/** Of several ranks the first speaks; the others only say why they failed. */
export function standardTerminal(isSpeaker = true): Terminal {
  if (!isSpeaker) return { print() {}, note: (text) => void process.stderr.write(`${text}\n`), onEvent() {} };
  return {
    print: (text) => void process.stdout.write(`${text}\n`),
    note: (text) => void process.stderr.write(`${text}\n`),
    onEvent: runDisplay(process.stderr),
  };
}

/**
 * Keeps a stream that nobody takes anything from any more from ending the program. Whoever read the results, such as `head`,
 * has enough; results that found no room on a disk are an error. Remarks are dropped: work goes on without being watched.
 */
export function keepGoingWithoutReaders(): void {
  let isTold = false;
  process.stdout.on('error', (error) => {
    if (errorCode(error) === 'EPIPE' || isTold) return;
    isTold = true;
    process.exitCode = 1;
    process.stderr.write(`anyclass: standard output cannot be written: ${fileProblem(error)}\n`);
  });
  process.stderr.on('error', () => {});
}

/**
 * Prints one of many results, when there is room for it.
 *
 * @returns false where nobody takes more
 */
export function printed(text: string): Promise<boolean> {
  return new Promise((done) => {
    process.stdout.write(`${text}\n`, (error) => done(!error));
  });
}
