import { ENDS_TIE, IS_PRESENT, rankClasses, scoreOfEntry } from './rankedClasses.js';
import { checkScored, type Scored } from './scored.js';

/** Precision, recall and false positive rate of a class at each of its distinct scores, from the highest down. */
export interface RankingCurve {
  readonly className: string;
  readonly thresholds: Float64Array;
  readonly precision: Float64Array;
  /** All 0 for a class that is never present. */
  readonly recall: Float64Array;
  /** All 0 for a class that is never absent. */
  readonly falsePositiveRate: Float64Array;
}

/**
 * Returns the exact curves for precision-recall and ROC plots: one per class, with a point for each distinct score.
 *
 * @example
 * const scored = { scores: new Float64Array([0.9, 0.8, 0.4]), targets: [1, 0, 1], classNames: ['crack'] };
 * const [curve] = rankingCurves(scored);
 * // thresholds 0.9 0.8 0.4, precision 1 0.5 0.6666…, recall 0.5 0.5 1, falsePositiveRate 0 1 1
 */
export function rankingCurves(scored: Scored): RankingCurve[] {
  const ranked = rankClasses(checkScored(scored));
  return ranked.classes.map((entries, j) => {
    let present = 0;
    let points = 0;
    for (const entry of entries) {
      present += entry & IS_PRESENT;
      if (entry & ENDS_TIE) points++;
    }
    const absent = entries.length - present;
    const curve = {
      className: ranked.classNames[j]!,
      thresholds: new Float64Array(points),
      precision: new Float64Array(points),
      recall: new Float64Array(points),
      falsePositiveRate: new Float64Array(points),
    };
    let truePositives = 0;
    let point = 0;
    entries.forEach((entry, k) => {
      truePositives += entry & IS_PRESENT;
      if (!(entry & ENDS_TIE)) return;
      curve.thresholds[point] = scoreOfEntry(ranked, j, k);
      curve.precision[point] = truePositives / (k + 1);
      curve.recall[point] = present === 0 ? 0 : truePositives / present;
      curve.falsePositiveRate[point] = absent === 0 ? 0 : (k + 1 - truePositives) / absent;
      point++;
    });
    return curve;
  });
}
