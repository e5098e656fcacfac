// Where predictions go: standard output, or a file that is written completely or not at all.

import type { Outcome } from '@anyclass/core';
import { discardQuietly } from '@anyclass/files';
import { printed } from '../commandLine/terminal.js';
import { lineAbout } from '../errors/escaped.js';
import { draftOutput } from '../files/outputs.js';
import type { Draft } from '../files/wholeFile.js';
import type { outputOf } from '../inference/outputFormats.js';
import type { FailedPrediction, Prediction } from '../inference/predictor.js';

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

/** What became of the inputs. */
export interface PredictionCounts {
  readonly predicted: number;
  /** Predictions that --outcome left out. */
  readonly others: number;
  /** The inputs that could not be read, and why. */
  readonly failed: readonly string[];
}

/** Writes predictions as lines, those of one outcome if one is wanted, and counts them. */
export function predictionLines(
  target: PredictionOutput,
  { header, line }: ReturnType<typeof outputOf>,
  wanted: Outcome | undefined,
) {
  let predicted = 0;
  let others = 0;
  const failed: string[] = [];
  return {
    counts: (): PredictionCounts => ({ predicted, others, failed }),
    /** Returns false if nobody reads the output anymore. */
    async add(prediction: Prediction | FailedPrediction): Promise<boolean> {
      if ('failure' in prediction) failed.push(lineAbout(prediction.name, prediction.failure));
      else if (wanted !== undefined && prediction.outcome !== wanted) others++;
      else {
        // The header waits for the first prediction: alone, it would look like a result.
        if (predicted === 0 && header !== undefined && !(await target.write(header))) return false;
        if (!(await target.write(line(prediction)))) return false;
        predicted++;
      }
      return true;
    },
    /** A table of nothing is the answer if no image has the outcome that was asked for. */
    async end(): Promise<void> {
      if (predicted === 0 && others > 0 && header !== undefined) await target.write(header);
    },
  };
}
