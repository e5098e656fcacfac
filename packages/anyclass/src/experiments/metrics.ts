// The metrics that runs are evaluated by, and their spread over seeds.

import type { PaperMetric } from '@anyclass/core';

/** Rates of a decision that the paper has no name for: what groups, and three outcomes, are judged by. */
export const outcomeRates = [
  'negativesAlarmedByGroup',
  'groupsAlarmed',
  'reviewRate',
  'missedRate',
  'missedRateByGroup',
  'groupsMissed',
] as const;

export type OutcomeRate = (typeof outcomeRates)[number];

/** A metric at a decision, which also has the AUC of presence scores. */
export type DecidedMetric = PaperMetric | OutcomeRate | 'presenceAuc';

/** The metrics' names, as in the paper if it has them. */
export const metricTitles: Readonly<Record<DecidedMetric, string>> = {
  macroF1: 'F1',
  macroF2: 'F2',
  f2Ciw: 'F2-CIW',
  mAP: 'mAP',
  f1Neg: 'F1-Neg',
  falseAlarmRate: 'false alarms',
  negativesAlarmedByGroup: 'alarms by group',
  groupsAlarmed: 'groups alarmed',
  reviewRate: 'review',
  missedRate: 'positives cleared',
  missedRateByGroup: 'cleared by group',
  groupsMissed: 'groups cleared',
  presenceAuc: 'presence AUC',
};

/** A metric over seeds. */
export interface Spread {
  readonly mean: number;
  /** Standard deviation over seeds, with n - 1 in the denominator; null for a single seed. */
  readonly standardDeviation: number | null;
  readonly lowest: number;
  readonly highest: number;
  /** In ascending order of seed. */
  readonly values: readonly number[];
}

/**
 * Computes the mean and spread of a metric over seeds; null if it is undefined for any of them.
 *
 * @example
 * spreadOf([0.6, 0.7, 0.8]) // mean 0.7, standardDeviation 0.1, lowest 0.6, highest 0.8
 */
export function spreadOf(values: readonly (number | null)[]): Spread | null {
  const defined = values.filter((value) => value !== null);
  if (defined.length === 0 || defined.length < values.length) return null;
  const mean = defined.reduce((sum, value) => sum + value, 0) / defined.length;
  const squares = defined.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return {
    mean,
    standardDeviation: defined.length < 2 ? null : Math.sqrt(squares / (defined.length - 1)),
    lowest: Math.min(...defined),
    highest: Math.max(...defined),
    values: defined,
  };
}

/** Whether the difference has the same sign for every seed. */
export function isOfOneSign({
  value,
  perSeed,
}: {
  readonly value: number;
  readonly perSeed: readonly number[];
}): boolean {
  return perSeed.every((difference) => Math.sign(difference) === Math.sign(value));
}
