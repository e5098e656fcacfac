// Where a command writes: results to standard output, everything else to standard error.

import { errorCode, fileProblem } from '@anyclass/files';
import { escaped, inOneLine } from '../errors/escaped.js';
import type { RunEventListener } from '../events/runEvent.js';
import { runDisplay } from './display/runDisplay.js';

export interface Terminal {
  /** Prints a result to standard output. */
  print(text: string): void;
  /** Prints a note to standard error. */
  note(text: string): void;
  /** Prints why the program failed to standard error. Without it, a note is printed. */
  fail?(text: string): void;
  /** Whether results go to a file or another program, to whose readers suggestions say nothing. */
  readonly isPiped?: boolean;
  /** Whether errors are shown with a stack trace. */
  readonly isDebugging?: boolean;
  /** Shows the progress of long work on standard error. */
  readonly onEvent: RunEventListener;
}

/**
 * Returns the terminal of this process. With several ranks, only the first prints; the others only say why
 * they failed.
 */
export function standardTerminal(isFirstRank = true): Terminal {
  const say = (text: string) => void process.stderr.write(`${escaped(text)}\n`);
  if (!isFirstRank) return { print() {}, note() {}, fail: say, onEvent() {} };
  return {
    print: (text) => void process.stdout.write(`${escaped(text)}\n`),
    note: say,
    isPiped: !process.stdout.isTTY,
    onEvent: runDisplay(process.stderr),
  };
}

/**
 * Keeps a closed stream from ending the program. It is not an error if a reader of the results stops, as
 * `head` does, but it is one if the results do not fit on the disk. Notes that cannot be written are dropped,
 * and the work continues.
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
 * Prints one of many results in a line, waiting until the stream accepts it. Files and other programs get names as they are.
 *
 * @returns false if the reader has closed the stream
 */
export function printed(
  text: string,
  stream: Pick<NodeJS.WriteStream, 'isTTY' | 'write'> = process.stdout,
): Promise<boolean> {
  return new Promise((done) => {
    stream.write(`${stream.isTTY ? inOneLine(text) : text}\n`, (error) => done(!error));
  });
}
