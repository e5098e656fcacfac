// How well a refitted decision does: judged on the rows of its fit, each by a decision that was fitted without it.

import {
  bootstrap,
  type CrossFitted,
  countOutcomes,
  crossFit,
  type FitDecisionOptions,
  type GivenGuarantee,
  type Outcome,
  type OutcomeCounts,
  presenceOfRows,
  promiseUnit,
  ROW_NEGATIVE,
  ROW_POSITIVE,
  type Scored,
} from '@anyclass/core';
import { promisedMetric } from '../evaluation/contradictions.js';
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
  /**
   * The rates that limits are about: the share of negatives that alarm, with or without a label, and of positives that are cleared,
   * of images, of a random group or of whole groups, as the limits count; null if folds have too few of them, or without such a limit.
   */
  readonly alarmRate: CrossFittedRate | null;
  readonly missedRate: CrossFittedRate | null;
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
  const limited = (about: GivenGuarantee['about'], isPredicted: (outcome: Outcome) => boolean) =>
    limitedRate(labels, isPredicted, { about, options, replicates });
  const isWithoutRate = labels.foldsWithoutGuarantee.length > 0;
  return {
    folds: new Set(folds).size,
    macroF1: rate('macroF1'),
    recallAny: rate('recallAny'),
    falseAlarmRate: isWithoutRate ? null : rate('falseAlarmRate'),
    falseAlarmRateByGroup: isWithoutRate ? null : rate('falseAlarmRateByGroup'),
    alarmRate: isWithoutRate ? null : limited('false alarms', (outcome) => outcome === 'alarm'),
    missedRate:
      isWithoutRate || !limitsMissed(options)
        ? null
        : limited('missed positives', (outcome) => outcome !== 'clear'),
    outcomes: countOutcomes(labels).rows,
    ...(isWithoutRate && {
      remark:
        'four fifths of the rows are too few to keep the budget, so there is no cross-fitted false-alarm rate',
    }),
  };
}

/** Whether a budget also limits the positives that are cleared. */
export function limitsMissed({ budget }: FitDecisionOptions): boolean {
  return budget !== undefined && 'missed' in budget && budget.missed !== undefined;
}

/** The rate that a limit is about, where rows count as predicted by their outcomes. */
function limitedRate(
  { outcomes, targets, classNames, groups }: CrossFitted,
  isPredicted: (outcome: Outcome) => boolean,
  {
    about,
    options: { budget },
    replicates,
  }: {
    readonly about: GivenGuarantee['about'];
    readonly options: FitDecisionOptions;
    readonly replicates: number;
  },
): CrossFittedRate | null {
  const kinds = presenceOfRows(targets, classNames.length);
  const target = (kind: number) => (kind === ROW_POSITIVE ? 1 : kind === ROW_NEGATIVE ? 0 : Number.NaN);
  const { overall, metrics } = bootstrap(
    {
      scores: Float64Array.from(outcomes, (outcome) => Number(isPredicted(outcome))),
      targets: Float64Array.from(kinds, target),
      classNames: ['any class'],
      groups,
    },
    { replicates },
  );
  const unit = budget === undefined ? 'image' : promiseUnit(budget);
  const name = promisedMetric({ about, unit, groups: groups === undefined ? null : groups.length }, metrics);
  const [value, range] = [metrics[name], overall[name]];
  return value === null || range === null ? null : { value, low: range.low, high: range.high };
}
