import type { Scored } from '../metrics/scored.js';
import { checkFit } from './fitThresholds.js';
import { type FittedThresholds, fingerprintOf } from './fittedThresholds.js';
import { type ThresholdCurves, thresholdCurves } from './thresholdCurves.js';

/** What to maximize, and what to keep. */
export interface SharedThresholdOptions {
  /** Recall weighs β² times as much as precision. Default 1. */
  readonly beta?: number;
  /** The lowest F1-Neg allowed. Default: the one at 0.5. */
  readonly leastF1Neg?: number;
}

/**
 * One threshold for all classes: of the curves' thresholds (by default 0, 0.01, … 1) the one with the highest mean F_β among
 * those that keep `leastF1Neg`; where none does, among those with the highest F1-Neg. Of equals the smallest.
 *
 * A threshold for each class ({@link fitThresholds}) reaches a higher F_β, but where most rows are negative it predicts
 * something on many of them.
 *
 * @example
 * const scores = new Float64Array([0.6, 0.4, 0.3, 0.1]);
 * const curves = thresholdCurves({ scores, targets: [1, 1, 0, 0], classNames: ['crack'] });
 * sharedThreshold(curves) // 0.31
 */
export function sharedThreshold(curves: ThresholdCurves, options: SharedThresholdOptions = {}): number {
  const { thresholds, perClass, noClass } = curves;
  const { beta = 1, leastF1Neg = f1NegAtHalf(curves) } = options;
  const least = Math.min(leastF1Neg, Math.max(...noClass.f1));
  let best = { threshold: 0.5, score: -1 };
  thresholds.forEach((threshold, t) => {
    if (noClass.f1[t]! < least) return;
    let score = 0;
    for (const { precision, recall } of perClass) score += fBetaOfRates(precision[t]!, recall[t]!, beta);
    if (score > best.score) best = { threshold, score };
  });
  return best.threshold;
}

/**
 * That threshold, searched in steps of a hundredth, in the form of fitted ones: `measure` refuses to judge it on the same data.
 *
 * @example
 * const scores = new Float64Array([0.6, 0.4, 0.3, 0.1]);
 * const validation = { scores, targets: [1, 1, 0, 0], classNames: ['crack'], split: 'validation' };
 * fitSharedThreshold(validation).values // [0.31]
 */
export function fitSharedThreshold(scored: Scored, options: SharedThresholdOptions = {}): FittedThresholds {
  const { beta = 1 } = options;
  const fittedOn = checkFit(scored, beta);
  const curves = thresholdCurves(scored);
  const threshold = sharedThreshold(curves, options);
  // At the second one everything is predicted: recall is 0 only where nothing is there.
  const { perClass } = thresholdCurves(scored, [threshold, Number.NEGATIVE_INFINITY]);
  return {
    values: scored.classNames.map(() => threshold),
    classNames: [...scored.classNames],
    beta,
    reached: perClass.map(({ precision, recall }) => fBetaOfRates(precision[0]!, recall[0]!, beta)),
    fittedOn,
    fingerprint: fingerprintOf(scored),
    undefinedClasses: scored.classNames.filter((_, j) => perClass[j]!.recall[1] === 0),
  };
}

function f1NegAtHalf({ thresholds, noClass }: ThresholdCurves): number {
  const half = thresholds.indexOf(0.5);
  if (half < 0)
    throw new RangeError('the curves have no point at 0.5, whose F1-Neg is to be kept; set leastF1Neg');
  return noClass.f1[half]!;
}

function fBetaOfRates(precision: number, recall: number, beta: number): number {
  const square = beta * beta;
  const weighted = square * precision + recall;
  return weighted === 0 ? 0 : ((1 + square) * precision * recall) / weighted;
}
