// What a comparison finds, as plain JSON.

import type { Difference, Guarantee, PaperMetric } from '@anyclass/core';
import type { DifferingField } from '../configuration/dottedFields.js';
import type { DecisionChoice } from './decisionText.js';
import type { OutcomeRate, Spread } from './metrics.js';
import type { JudgedSplit } from './readRuns.js';
import type { SeedGroup } from './seedGroups.js';
import type { TradeOffSpread } from './tradeOff.js';

/** A comparison of runs. Plain JSON. */
export interface Comparison {
  /** The verdict, a sentence for each standard loss. */
  readonly verdict: string;
  readonly groups: readonly GroupMetrics[];
  readonly differences: readonly MethodDifference[];
  /** Losses whose runs differ from those of their standard loss in more than the loss. */
  readonly confounded: readonly ConfoundedPair[];
  /** Losses that could not be compared with their standard loss or could not be decided, and why. */
  readonly notes: readonly string[];
  /** How every run was decided. */
  readonly decision: DecisionChoice;
  /** Bootstrap replicates at 0.5. */
  readonly replicates: number;
  readonly confidence: number;
}

/** One row of a loss table: the metrics of a setup over its seeds. */
export interface GroupMetrics extends Omit<SeedGroup, 'runs'> {
  readonly folders: readonly string[];
  /** The metrics that the paper's tables show for this data, in the same order. */
  readonly metrics: readonly PaperMetric[];
  /** At 0.5. */
  readonly validation: MetricSpreads;
  /** At 0.5; null if the test split has no labels. */
  readonly test: MetricSpreads | null;
  /** At each run's own decision; null if validation has no positives or negatives to fit one on. */
  readonly decided: DecidedGroup | null;
}

/** Metrics at decisions, each fitted on the run's own validation scores. */
export interface DecidedGroup extends DecisionChoice {
  /** The split that the decisions were fitted on: `decision` if the runs hold rows back for it. */
  readonly fittedOn: string;
  /** Whether the false alarms of the decisions are bounded on new data. */
  readonly guarantee: Guarantee;
  /** Classes that no run's decision can predict; omitted in comparisons of earlier versions. */
  readonly neverPredicted?: readonly string[];
  /**
   * Cross-fitted: each image is decided by a decision fitted without it. Null with fewer than two positives
   * or negatives.
   */
  readonly validation: DecidedSpreads | null;
  /** Null if the test split has no labels. */
  readonly test: DecidedSpreads | null;
  /** F1 against false alarms on test. */
  readonly tradeOff: readonly TradeOffSpread[] | null;
}

/** The rates of outcomes are omitted where they are undefined for all runs. */
export type DecidedSpreads = Readonly<Record<PaperMetric | 'presenceAuc', Spread | null>> &
  Readonly<Partial<Record<OutcomeRate, Spread | null>>>;

export type MetricSpreads = Readonly<Record<PaperMetric, Spread | null>>;

/** By how much a loss differs from the one that it is compared with, on the same instances. */
export interface MethodDifference {
  readonly dataset: string;
  readonly network: string;
  /** Labels of the groups. */
  readonly loss: string;
  readonly standard: string;
  /** Test, or validation if the test split has no labels. */
  readonly split: JudgedSplit;
  readonly atHalf: MetricDifferences;
  /** Both sides at their decisions; null without test labels or decisions. mAP is that of `atHalf`. */
  readonly atDecision: MetricDifferences | null;
  /** Draws behind `atDecision`, each with all decisions refitted. */
  readonly replicates: number;
}

export type MetricDifferences = Readonly<Record<PaperMetric, HeldDifference | null>>;

export interface HeldDifference extends Difference {
  /** 'unclear' if the interval contains 0. */
  readonly holds: 'higher' | 'lower' | 'unclear';
  /** One difference for each seed that both sides share; empty if they share none. */
  readonly perSeed: readonly number[];
}

/** A loss and the one that it is compared with whose runs differ in other fields too. */
export interface ConfoundedPair {
  readonly dataset: string;
  readonly network: string;
  /** Labels of the groups. */
  readonly loss: string;
  readonly standard: string;
  /** `first` is the any-class side's value. */
  readonly fields: readonly DifferingField[];
}
