// What a command writes to: standard output for results, standard error for everything on the way.

import { errorCode, fileProblem } from '../files/fileProblem.js';
import { ProgressBar } from './progressBar.js';

export interface Terminal {
  /** A result, to standard output. */
  print(text: string): void;
  /** A remark, to standard error. */
  note(text: string): void;
  progress(label: string, total: number, unit: string): ProgressBar;
}

export function standardTerminal(): Terminal {
  return {
    print: (text) => void process.stdout.write(`${text}\n`),
    note: (text) => void process.stderr.write(`${text}\n`),
    progress: (label, total, unit) => new ProgressBar(label, total, unit),
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
