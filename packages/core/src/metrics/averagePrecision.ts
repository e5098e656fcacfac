import type { FloatArray } from '../arrays/rowMajor.js';
import { countRanks } from './classCounts.js';
import { rankClasses } from './rankedClasses.js';
import { checkScored } from './scored.js';

/**
 * Returns the average precision of one class: Σ (R_k - R_{k-1}) P_k over its distinct scores, ties taken together; null
 * if the class is never present.
 *
 * @example
 * averagePrecision(new Float64Array([0.9, 0.8, 0.7, 0.6]), [1, 0, 1, 0]) // 0.8333333333333333
 */
export function averagePrecision(scores: FloatArray, targets: ArrayLike<number>): number | null {
  return countsOf(scores, targets).averagePrecision;
}

/**
 * Returns the area under the ROC curve of one class: the share of pairs of a present and an absent row in which the
 * present one has the higher score, ties counted half; null without such a pair.
 *
 * @example
 * rocAuc(new Float64Array([0.9, 0.8, 0.7, 0.6]), [1, 0, 1, 0]) // 0.75
 */
export function rocAuc(scores: FloatArray, targets: ArrayLike<number>): number | null {
  return countsOf(scores, targets).rocAuc;
}

function countsOf(scores: FloatArray, targets: ArrayLike<number>) {
  const ranked = rankClasses(checkScored({ scores, targets, classNames: ['0'] }));
  return countRanks(ranked.classes[0]!, new Uint16Array(ranked.rows).fill(1));
}
