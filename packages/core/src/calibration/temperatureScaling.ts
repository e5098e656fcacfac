// Temperature scaling. Guo et al., "On Calibration of Modern Neural Networks", arXiv 1706.04599: all logits are divided
// by one number, which does not change their ranking.

import { sigmoid } from '../losses/logisticTerms.js';
import { checkScored, type Scored, UNKNOWN } from '../metrics/scored.js';
import { checkProbabilities, probabilityLogits } from './probabilityLogits.js';

/** A fitted temperature. Plain JSON. */
export interface TemperatureScaling {
  readonly kind: 'temperature';
  readonly temperature: number;
  /** True when the best temperature lies beyond 0.01 or 100: the labels are separated perfectly, or not at all. */
  readonly atBound: boolean;
  /** The split it was fitted on, if named. */
  readonly fittedOn: string | null;
}

const SMALLEST_INVERSE = 0.01;
const LARGEST_INVERSE = 100;

/**
 * Fits the temperature that minimizes the cross-entropy of sigmoid(z / T) over all known labels.
 *
 * With a = 1/T, the cross-entropy is convex, with slope Σ z (sigmoid(a z) - y). We find the slope's root with Newton
 * steps, and with bisection if a step would leave the bracket.
 *
 * @example
 * // Overconfident by a factor of 2: of rows scored 0.9, three in four are present; of rows scored 0.1, one in four.
 * const scores = new Float64Array([0.9, 0.9, 0.9, 0.9, 0.1, 0.1, 0.1, 0.1]);
 * const scored = { scores, targets: [1, 1, 1, 0, 1, 0, 0, 0], classNames: ['crack'] };
 * fitTemperature(scored).temperature // 2, since logit(0.9) = 2 logit(0.75)
 */
export function fitTemperature(scored: Scored): TemperatureScaling {
  const { scores, labels, classNames } = checkScored(scored);
  checkProbabilities(scores, classNames);
  const logits = probabilityLogits(scores);
  const result = (inverse: number, atBound: boolean): TemperatureScaling => {
    return { kind: 'temperature', temperature: 1 / inverse, atBound, fittedOn: scored.split ?? null };
  };
  if (derivatives(logits, labels, SMALLEST_INVERSE).slope >= 0) return result(SMALLEST_INVERSE, true);
  if (derivatives(logits, labels, LARGEST_INVERSE).slope <= 0) return result(LARGEST_INVERSE, true);
  return result(rootOfSlope(logits, labels), false);
}

function rootOfSlope(logits: Float64Array, labels: Int8Array): number {
  let low = SMALLEST_INVERSE;
  let high = LARGEST_INVERSE;
  let inverse = 1;
  for (let step = 0; step < 200; step++) {
    const { slope, curvature } = derivatives(logits, labels, inverse);
    if (slope > 0) high = inverse;
    else low = inverse;
    const newton = inverse - slope / curvature;
    const next = newton > low && newton < high ? newton : Math.sqrt(low * high);
    if (Math.abs(next - inverse) <= 1e-14 * inverse) return next;
    inverse = next;
  }
  return inverse;
}

function derivatives(logits: Float64Array, labels: Int8Array, inverse: number) {
  let slope = 0;
  let curvature = 0;
  for (let i = 0; i < logits.length; i++) {
    if (labels[i] === UNKNOWN) continue;
    const z = logits[i]!;
    const p = sigmoid(inverse * z);
    slope += z * (p - labels[i]!);
    curvature += z * z * p * (1 - p);
  }
  return { slope, curvature };
}
