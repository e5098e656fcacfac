import { checkLength } from '../arrays/rowMajor.js';
import { type FittedThresholds, refuseSameSplit } from '../thresholds/fittedThresholds.js';
import { entriesAtLeast, type RankedScores, rankClasses } from './rankedClasses.js';
import { areSameClasses, type CheckedScores, checkScored, type Scored, UNKNOWN } from './scored.js';

export interface MeasureOptions {
  /**
   * A class is predicted when its score is at least this: one number, one a class, or what `fitThresholds` gave.
   * Default 0.5. Compared in the precision of the scores: 0.7 predicts a float32 score of 0.7.
   */
  readonly threshold?: number | readonly number[] | FittedThresholds;
  /** Judge fitted thresholds even on the data that they were fitted on. Default false. */
  readonly allowSameSplit?: boolean;
  /** Class importance weights for F2-CIW. */
  readonly classImportance?: ArrayLike<number>;
}

/** Everything about scores and thresholds that does not depend on how often each row counts. */
export interface Measurement {
  readonly ranked: RankedScores;
  readonly thresholds: readonly number[];
  /** For each class, how many of its ranked entries are predicted. */
  readonly predicted: readonly number[];
  /** 1 where a row has a predicted class. */
  readonly predictedRows: Uint8Array;
  readonly classImportance: ArrayLike<number> | undefined;
}

/** Checks, ranks and thresholds. */
export function prepareMeasurement(scored: Scored, options: MeasureOptions): Measurement {
  const checked = checkScored(scored);
  const { classNames } = checked;
  if (options.classImportance !== undefined) checkImportance(options.classImportance, classNames);
  const thresholds = thresholdsOf(scored, options);
  const inPrecision = scored.scores instanceof Float32Array ? thresholds.map(Math.fround) : thresholds;
  const ranked = rankClasses(checked);
  return {
    ranked,
    thresholds,
    predicted: inPrecision.map((threshold, j) => entriesAtLeast(ranked, j, threshold)),
    predictedRows: rowsWithPrediction(checked, inPrecision),
    classImportance: options.classImportance,
  };
}

function thresholdsOf(
  scored: Scored,
  { threshold = 0.5, allowSameSplit = false }: MeasureOptions,
): readonly number[] {
  const { classNames } = scored;
  if (typeof threshold === 'number') {
    if (Number.isNaN(threshold)) throw new RangeError('threshold is NaN; expected a number');
    return classNames.map(() => threshold);
  }
  if ('fittedOn' in threshold) {
    if (!areSameClasses(threshold.classNames, classNames)) {
      throw new RangeError(
        `the thresholds are for the classes ${threshold.classNames.join(', ')}; the scores have ${classNames.join(', ')}`,
      );
    }
    if (!allowSameSplit) refuseSameSplit(threshold, scored);
    return threshold.values;
  }
  checkLength('threshold', threshold.length, classNames.length, 'one a class');
  threshold.forEach((value, j) => {
    if (Number.isNaN(value))
      throw new RangeError(`threshold of class ${classNames[j]} is NaN; expected a number`);
  });
  return threshold;
}

function checkImportance(importance: ArrayLike<number>, classNames: readonly string[]): void {
  checkLength('classImportance', importance.length, classNames.length, 'one a class');
  let total = 0;
  for (let j = 0; j < importance.length; j++) {
    const weight = importance[j]!;
    if (!(weight >= 0 && weight < Number.POSITIVE_INFINITY)) {
      throw new RangeError(
        `classImportance of ${classNames[j]} is ${weight}; expected a finite number of at least 0`,
      );
    }
    total += weight;
  }
  if (total === 0) throw new RangeError('classImportance is 0 for every class; expected one or more above 0');
}

function rowsWithPrediction(
  { scores, labels, rows }: CheckedScores,
  thresholds: readonly number[],
): Uint8Array {
  const classes = thresholds.length;
  const predicted = new Uint8Array(rows);
  for (let i = 0, row = 0; row < rows; row++) {
    for (let j = 0; j < classes; j++, i++) {
      if (labels[i] !== UNKNOWN && scores[i]! >= thresholds[j]!) predicted[row] = 1;
    }
  }
  return predicted;
}
