// Where predictions go: standard output, or a file that is written completely or not at all.

import { discardQuietly } from '@anyclass/files';
import { printed } from '../commandLine/terminal.js';
import { draftOutput } from '../files/outputs.js';
import type { Draft } from '../files/wholeFile.js';

/** A destination for predictions; removes unfinished output when disposed. */
export interface PredictionOutput extends Disposable {
  /** Writes a line; false if the reader has closed the stream. */
  write(text: string): Promise<boolean>;
  finish(): void;
  /** Keeps what was written so far and returns a phrase that says where. */
  leave(): string;
}

export const standardOutput: PredictionOutput = {
  write: printed,
  finish() {},
  leave: () => 'predictions so far are on standard output',
  [Symbol.dispose]() {},
};

/** Writes predictions to a file, which is created with the first line. */
export function fileOutput(flag: string, path: string): PredictionOutput {
  let draft: Draft | undefined;
  return {
    async write(text) {
      draft ??= draftOutput(flag, path);
      draft.write(`${text}\n`);
      return true;
    },
    finish() {
      draft?.finish();
      draft = undefined;
    },
    leave() {
      const kept = draft?.leave();
      draft = undefined;
      return kept === undefined ? `nothing was written to ${path}` : `predictions so far are in ${kept}`;
    },
    [Symbol.dispose]: () => draft && discardQuietly(draft),
  };
}
