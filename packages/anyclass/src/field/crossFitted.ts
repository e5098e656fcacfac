// How well a refitted decision does: judged on the rows of its fit, each by a decision that was fitted without it.

import {
  bootstrap,
  countOutcomes,
  crossFit,
  type FitDecisionOptions,
  type OutcomeCounts,
  type Scored,
} from '@anyclass/core';
import { foldsToFit } from '../evaluation/folds.js';

/** A metric with its 95% interval. */
export interface CrossFittedRate {
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

/** Metrics of cross-fitted answers: five decisions, each fitted on four fifths of the rows and judged on the rest. */
export interface CrossFittedMetrics {
  readonly folds: number;
  readonly macroF1: CrossFittedRate | null;
  /** The share of positives with any prediction. */
  readonly recallAny: CrossFittedRate | null;
  /** The share of negatives with any prediction; null if folds have too few negatives to keep the budget. */
  readonly falseAlarmRate: CrossFittedRate | null;
  /** The same of a random negative of a random group. */
  readonly falseAlarmRateByGroup: CrossFittedRate | null;
  /** How many rows have each outcome. */
  readonly outcomes: OutcomeCounts;
  /** Why there is no false-alarm rate. */
  readonly remark?: string;
}

/**
 * Cross-fits a decision; undefined if all positives or all negatives are in one fold.
 *
 * @example
 * crossFittedMetrics({ ...scored, names }, { budget: { falseAlarms: 0.05 } })?.falseAlarmRate // 0.047, 0.021 to 0.079
 */
export function crossFittedMetrics(
  scored: Scored & { readonly names: readonly string[] },
  options: FitDecisionOptions,
  { replicates = 1000 }: { readonly replicates?: number | undefined } = {},
): CrossFittedMetrics | undefined {
  const folds = foldsToFit(scored);
  if (folds === undefined) return undefined;
  const labels = crossFit(scored, { ...options, folds });
  const { overall, metrics } = bootstrap(labels, { replicates });
  const rate = (name: 'macroF1' | 'recallAny' | 'falseAlarmRate' | 'falseAlarmRateByGroup') => {
    const [value, range] = [metrics[name], overall[name]];
    return value === null || range === null ? null : { value, low: range.low, high: range.high };
  };
  const isWithoutRate = labels.foldsWithoutGuarantee.length > 0;
  return {
    folds: new Set(folds).size,
    macroF1: rate('macroF1'),
    recallAny: rate('recallAny'),
    falseAlarmRate: isWithoutRate ? null : rate('falseAlarmRate'),
    falseAlarmRateByGroup: isWithoutRate ? null : rate('falseAlarmRateByGroup'),
    outcomes: countOutcomes(labels).rows,
    ...(isWithoutRate && {
      remark:
        'four fifths of the rows are too few to keep the budget, so there is no cross-fitted false-alarm rate',
    }),
  };
}
