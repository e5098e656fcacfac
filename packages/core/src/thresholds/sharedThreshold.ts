import { type FittedThresholds, fingerprintOf } from '../metrics/fittedThresholds.js';
import type { Scored } from '../metrics/scored.js';
import { checkFit } from './fitThresholds.js';
import { type ThresholdCurves, thresholdCurves } from './thresholdCurves.js';

/** What to maximize, and under which constraint. */
export interface SharedThresholdOptions {
  /** Recall weighs β² times as much as precision. Default 1. */
  readonly beta?: number;
  /** The minimum F1-Neg. Default: the F1-Neg at 0.5. */
  readonly leastF1Neg?: number;
}

/**
 * Returns one threshold for all classes: of the curves' thresholds (by default 0, 0.01, … 1), the one with the highest mean
 * F_β among those that reach `leastF1Neg`, or, if none does, among those with the highest F1-Neg. Among equals, the
 * smallest.
 *
 * Per-class thresholds ({@link fitThresholds}) reach a higher F_β, but if most rows are negative, they predict something
 * on many of them.
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
 * Fits that threshold in steps of 0.01 and returns it as fitted thresholds, which `measure` refuses to evaluate on the same
 * data.
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
  // At the second threshold everything is predicted, so recall is 0 only if the class is never present.
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
    throw new RangeError('the curves have no point at 0.5 to take the minimum F1-Neg from; set leastF1Neg');
  return noClass.f1[half]!;
}

function fBetaOfRates(precision: number, recall: number, beta: number): number {
  const square = beta * beta;
  const weighted = square * precision + recall;
  return weighted === 0 ? 0 : ((1 + square) * precision * recall) / weighted;
}
