// What a command writes to: standard output for results, standard error for everything else.

import type { RunEventListener } from '../events/runEvent.js';
import { errorCode, fileProblem } from '../files/fileProblem.js';
import { runDisplay } from './display/runDisplay.js';

export interface Terminal {
  /** A result, to standard output. */
  print(text: string): void;
  /** A note, to standard error. */
  note(text: string): void;
  /** Why the program failed, to standard error. Default a note. */
  fail?(text: string): void;
  /** Shows what long work reports, on standard error. */
  readonly onEvent: RunEventListener;
}

/** Of several ranks the first speaks; the others only say why they failed. */
export function standardTerminal(isSpeaker = true): Terminal {
  const say = (text: string) => void process.stderr.write(`${text}\n`);
  if (!isSpeaker) return { print() {}, note() {}, fail: say, onEvent() {} };
  return {
    print: (text) => void process.stdout.write(`${text}\n`),
    note: say,
    onEvent: runDisplay(process.stderr),
  };
}

/**
 * Keeps a closed stream from ending the program. A reader of the results that stops, such as `head`, has enough; results that
 * do not fit on a disk are an error. Notes are dropped: work continues unwatched.
 */
export function keepGoingWithoutReaders(): void {
  let isTold = false;
  process.stdout.on('error', (error) => {
    if (errorCode(error) === 'EPIPE' || isTold) return;
    isTold = true;
    process.exitCode = 1;
    process.stderr.write(`anyclass: cannot write to standard output: ${fileProblem(error)}\n`);
  });
  process.stderr.on('error', () => {});
}

/**
 * Prints one of many results, waiting until the stream accepts it.
 *
 * @returns false if the reader has closed the stream
 */
export function printed(text: string): Promise<boolean> {
  return new Promise((done) => {
    process.stdout.write(`${text}\n`, (error) => done(!error));
  });
}
