import { type FloatArray, rowsOf } from '../arrays/rowMajor.js';
import { logit } from '../losses/logisticTerms.js';
import { placeOf } from '../metrics/scored.js';

// Beyond these logits, probabilities round to 1 in the given precision, so logits cannot be told apart.
export const LARGEST_FLOAT32_LOGIT = 16.6;
const LARGEST_FLOAT64_LOGIT = 36.7;

/** Throws if a score is not a probability, naming its row and class. */
export function checkProbabilities(scores: FloatArray, classNames: readonly string[]): void {
  rowsOf('scores', scores.length, classNames.length);
  for (let i = 0; i < scores.length; i++) {
    if (!(scores[i]! >= 0 && scores[i]! <= 1)) {
      throw new RangeError(`scores at ${placeOf(i, classNames)} is ${scores[i]}; expected a probability`);
    }
  }
}

/** Returns the logits of probabilities; 0 and 1 become the largest logits that the precision can distinguish. */
export function probabilityLogits(probabilities: FloatArray): Float64Array {
  const largest = probabilities instanceof Float32Array ? LARGEST_FLOAT32_LOGIT : LARGEST_FLOAT64_LOGIT;
  const logits = new Float64Array(probabilities.length);
  for (let i = 0; i < logits.length; i++) {
    logits[i] = Math.min(largest, Math.max(-largest, logit(probabilities[i]!)));
  }
  return logits;
}
