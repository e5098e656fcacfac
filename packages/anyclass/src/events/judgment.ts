// The metrics that say how good a model's scores are.

import type {
  Bootstrap,
  Calibration,
  CostBudget,
  Decision,
  Metrics,
  OutcomeCounts,
  PromiseUnit,
  SharedRows,
} from '@anyclass/core';

export interface Judgment {
  readonly split: string;
  /** At 0.5. */
  readonly metrics: Metrics;
  readonly intervals?: Intervals;
  /** At the model's own decision: the presence gate and thresholds that were fitted on other data. */
  readonly decided?: DecidedMetrics;
  /** For the probabilities as the network outputs them. */
  readonly reliability: ReliabilityMetrics;
  /** For the calibrated probabilities; all metrics except `reliability` use them too. */
  readonly calibrated?: ReliabilityMetrics & { readonly calibration: Calibration };
}

export interface DecidedMetrics
  extends Pick<
    Decision,
    'rule' | 'budget' | 'beta' | 'presence' | 'clear' | 'thresholds' | 'fittedOn' | 'candidates' | 'report'
  > {
  /** What the budget counts: images, or whole groups. */
  readonly unit: PromiseUnit;
  /** How many groups it was fitted on; null without groups. */
  readonly groups: number | null;
  /**
   * How many judged groups have a negative (only negatives, if the budget counts whole groups), and how many a positive; omitted
   * without groups.
   */
  readonly judgedGroups?: { readonly negatives: number; readonly positives: number };
  /** Shares of the judged rows by outcome; review is 0 unless the budget limits missed positives too. */
  readonly outcomes: OutcomeCounts;
  /** The work that the decision makes. */
  readonly workload: Workload;
  /** Where the budget comes from, if costs were given. */
  readonly costs?: PricedBudget;
  /** Judged rows that the fit already knew; with any, nothing is promised. Omitted if that is not known. */
  readonly shared?: SharedRows;
  /** Promises that do not hold on the judged rows; omitted without any. */
  readonly contradicted?: readonly Contradiction[];
  readonly metrics: Metrics;
  readonly intervals?: Intervals;
  /** Metrics on the data that the decision was fitted on; null if its scores are gone. */
  readonly validation: Metrics | null;
}

/** A promise that does not hold on the judged rows: the whole interval of the measured rate is above it. */
export interface Contradiction {
  readonly about: 'false alarms' | 'missed positives';
  readonly unit: PromiseUnit;
  readonly promised: number;
  readonly rate: number;
  readonly low: number;
  readonly high: number;
  /** Whether the rate counts each group equally. */
  readonly isByGroup: boolean;
  /** How many labeled negatives (or positives) a refit for these rows takes, and whether these are groups. */
  readonly needed: number;
  readonly ofGroups: boolean;
}

/** The budget that minimizes what mistakes cost. */
export interface PricedBudget extends CostBudget {
  /** What a positive that does not alarm costs, and a negative that does. */
  readonly miss: number;
  readonly alarm: number;
}

/** How many of 1,000 rows have each outcome. */
export interface Workload extends OutcomeCounts {
  /** The share of positives that it is for; null for that of the judged rows. */
  readonly prevalence: number | null;
}

export type Intervals = Pick<Bootstrap, 'overall' | 'perClass' | 'replicates' | 'confidence'>;

/** The expected calibration error and the Brier score. */
export interface ReliabilityMetrics {
  readonly perClassEce: readonly (number | null)[];
  readonly perClassBrier: readonly (number | null)[];
  readonly anyClassEce: number | null;
  readonly anyClassBrier: number | null;
}
