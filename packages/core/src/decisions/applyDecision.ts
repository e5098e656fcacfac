import type { FloatArray } from '../arrays/rowMajor.js';
import { cutoffsOf } from '../metrics/decisionCutoffs.js';
import { presenceScores } from '../metrics/presence.js';
import type { Decision } from './decision.js';

/** A decision's predictions for each row. */
export interface Decided {
  /** 1 where a class is predicted: entry (row, class) is at row · classes + class. */
  readonly labels: Uint8Array;
  /** The presence score of each row; `presenceProbability` converts it to a probability. */
  readonly presence: Float64Array;
}

/**
 * Predicts labels: class j is predicted if the presence score is at least the decision's and p_j is at least the class's
 * threshold, compared in the precision of the scores. A row without a predicted class is negative.
 *
 * @example
 * const decision = fitDecision(validation);
 * const { labels } = applyDecision(new Float32Array([0.9, 0.1, 0.2, 0.1]), decision); // 1 0 0 0
 */
export function applyDecision(scores: FloatArray, decision: Decision): Decided {
  const classes = decision.classNames.length;
  const presence = presenceScores(scores, classes);
  const cutoffs = cutoffsOf(decision);
  const thresholds =
    scores instanceof Float32Array ? cutoffs.thresholds.map(Math.fround) : cutoffs.thresholds;
  const labels = new Uint8Array(scores.length);
  for (let row = 0; row < presence.length; row++) {
    if (presence[row]! < cutoffs.presence) continue;
    for (let j = 0; j < classes; j++) {
      const i = row * classes + j;
      if (scores[i]! >= thresholds[j]!) labels[i] = 1;
    }
  }
  return { labels, presence };
}
