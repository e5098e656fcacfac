import type { Metrics } from '@anyclass/core';

/** One-sided 95%. */
const surely = 1.645;
/** With fewer positives or negatives, a good model could look the same. */
const enough = 20;

/**
 * Whether predictions say nothing about presence: positives get a prediction no more often than negatives do, up to chance. False if
 * nothing is predicted, or if there are too few positives or negatives to tell.
 *
 * @example
 * isNoBetterThanChance(measure(scored)) // true for scores drawn at random
 */
export function isNoBetterThanChance({
  recallAny,
  falseAlarmRate,
  positiveRows,
  negativeRows,
}: Pick<Metrics, 'recallAny' | 'falseAlarmRate' | 'positiveRows' | 'negativeRows'>): boolean {
  if (falseAlarmRate === null || Math.min(positiveRows, negativeRows) < enough) return false;
  const both = (recallAny * positiveRows + falseAlarmRate * negativeRows) / (positiveRows + negativeRows);
  if (both === 0) return false;
  const deviation = Math.sqrt(both * (1 - both) * (1 / positiveRows + 1 / negativeRows));
  return recallAny - falseAlarmRate <= surely * deviation;
}
