// The presence score: how strongly an instance's class probabilities suggest that any class is present.

import { checkLength, type FloatArray, rowsOf } from '../arrays/rowMajor.js';

/**
 * Returns the presence score of each row, s = -Σ log1p(-p_j). If the classes were independent, 1 - exp(-s) would be the
 * probability that any is present. Rank, store and compare s rather than that probability, which is exactly 1 in float64
 * from s ≈ 37 on. A row with p_j = 1 has s = Infinity and passes every gate except a closed one.
 *
 * @example
 * presenceScores(new Float64Array([0.5, 0.5, 0, 0.1]), 2) // 1.3862943611198906 0.10536051565782631
 */
export function presenceScores(scores: FloatArray, classes: number): Float64Array {
  const presence = new Float64Array(rowsOf('scores', scores.length, classes));
  for (let i = 0, row = 0; row < presence.length; row++) {
    let sum = 0;
    for (let j = 0; j < classes; j++, i++) {
      const probability = scores[i]!;
      if (!(probability >= 0 && probability <= 1)) {
        throw new RangeError(`scores at row ${row}, class ${j} is ${probability}; expected a probability`);
      }
      sum -= Math.log1p(-probability);
    }
    presence[row] = sum;
  }
  return presence;
}

/** Throws unless there is a presence score for every row. */
export function checkPresence(presence: Float64Array, rows: number): void {
  checkLength('presence', presence.length, rows, 'one per row');
  const wrong = presence.findIndex((score) => !(score >= 0));
  if (wrong >= 0) {
    throw new RangeError(`presence at row ${wrong} is ${presence[wrong]}; expected a number of at least 0`);
  }
}

/**
 * Returns the presence probability a = 1 - exp(-s), for display.
 *
 * @example
 * presenceProbability(2 * Math.LN2) // 0.75: one minus a half times a half
 */
export function presenceProbability(presenceScore: number): number {
  return -Math.expm1(-presenceScore);
}
