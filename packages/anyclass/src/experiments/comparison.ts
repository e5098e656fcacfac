// Compares runs: metrics over seeds, and paired differences from the standard loss, all computed from the
// scores in the run folders.

import {
  checkDecisionOptions,
  type Difference,
  type FitDecisionOptions,
  type Guarantee,
  type PaperFigure,
} from '@anyclass/core';
import { UserError } from '../errors/userError.js';
import { type ConfoundedPair, confoundedPairs } from './confounds.js';
import type { DecisionChoice } from './decisionText.js';
import type { DecidedFigure, Spread } from './figures.js';
import { judgeGroup } from './judgedGroup.js';
import { lossPairs } from './lossPairs.js';
import { type DrawTask, methodDifferences } from './methodDifferences.js';
import type { JudgedSplit, Run } from './readRuns.js';
import { groupBySeed, type SeedGroup } from './seedGroups.js';
import type { TradeOffSpread } from './tradeOff.js';
import { comparisonVerdict } from './verdict.js';

/** How runs are decided. Default: the gate, at 5% false alarms with a confidence of 0.95. */
export type DecisionSettings = Pick<FitDecisionOptions, 'rule' | 'budget' | 'beta'>;

export interface ComparisonOptions {
  /** Bootstrap replicates; default 1000; 0 disables differences. At decisions, limited by `seconds`. */
  readonly replicates?: number;
  /** Seed for the bootstrap; default 0. */
  readonly bootstrapSeed?: number;
  /** Confidence level of the intervals; default 0.95. */
  readonly confidence?: number;
  /** How runs are decided. */
  readonly decision?: DecisionSettings;
  /** Time limit per dataset for replicates at decisions, of which at least 100 always run. Default 60. */
  readonly seconds?: number;
  /**
   * Called after each draw. Each dataset has `replicates` of them at 0.5, and at most as many at decisions.
   */
  readonly onDraw?: (task: DrawTask) => void;
}

/** A comparison of runs. Plain JSON. */
export interface Comparison {
  /** The verdict, a sentence for each standard loss. */
  readonly verdict: string;
  readonly groups: readonly GroupFigures[];
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
export interface GroupFigures extends Omit<SeedGroup, 'runs'> {
  readonly folders: readonly string[];
  /** The figures that the paper's tables show for this data, in the same order. */
  readonly figures: readonly PaperFigure[];
  /** At 0.5. */
  readonly validation: FigureSpreads;
  /** At 0.5; null if the test split has no labels. */
  readonly test: FigureSpreads | null;
  /** At each run's own decision; null if validation has no positives or negatives to fit one on. */
  readonly decided: DecidedFigures | null;
}

/** Figures at decisions, each fitted on the run's own validation scores. */
export interface DecidedFigures extends DecisionChoice {
  /** Whether the false alarms of the decisions are bounded on new data. */
  readonly guarantee: Guarantee;
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

export type DecidedSpreads = Readonly<Record<DecidedFigure, Spread | null>>;

export type FigureSpreads = Readonly<Record<PaperFigure, Spread | null>>;

/** By how much an any-class loss differs from its standard loss on the same instances. */
export interface MethodDifference {
  readonly dataset: string;
  readonly network: string;
  /** Labels of the groups. */
  readonly loss: string;
  readonly standard: string;
  /** Test, or validation if the test split has no labels. */
  readonly split: JudgedSplit;
  readonly atHalf: FigureDifferences;
  /** Both sides at their decisions; null without test labels or decisions. mAP is that of `atHalf`. */
  readonly atDecision: FigureDifferences | null;
  /** Draws behind `atDecision`, each with all decisions refitted. */
  readonly replicates: number;
}

export type FigureDifferences = Readonly<Record<PaperFigure, HeldDifference | null>>;

export interface HeldDifference extends Difference {
  /** 'unclear' if the interval contains 0. */
  readonly holds: 'higher' | 'lower' | 'unclear';
  /** One difference for each seed that both sides share; empty if they share none. */
  readonly perSeed: readonly number[];
}

/**
 * Compares finished runs. Runs that differ only in their seed form one group. Each run's decision is fitted
 * on its own validation scores, with the same budget for all, and evaluated on test. The differences come
 * from a bootstrap over the instances, with the same replicates for all groups of a dataset. In each
 * replicate, a side's metric is the mean over the seeds that both sides share. A loss that was not evaluated
 * on the same images as its standard loss gets a note instead of a difference.
 *
 * @example
 * const { verdict, groups, differences } = await compareRuns(readRuns(['comparisons/coco']));
 * verdict // 'any-bce λ=0.02 beats bce on F1 by 2.9 points (2.1 to 3.7) at 5% false alarms (test, 3 seeds).'
 * groups[0]?.decided?.test?.macroF1?.mean
 * differences[0]?.atDecision?.macroF1 // { value: 0.029, low: 0.021, high: 0.037, holds: 'higher', … }
 */
export async function compareRuns(
  runs: readonly Run[],
  options: ComparisonOptions = {},
): Promise<Comparison> {
  const { replicates = 1000, confidence = 0.95, bootstrapSeed = 0, seconds = 60 } = options;
  const { rule, budget, beta } = checkDecisionOptions(options.decision ?? {});
  const decision = { rule, budget, beta };
  const groups = groupBySeed(runs);
  for (const { label, seeds, runs: same } of groups) {
    const twice = seeds.findIndex((seed, i) => seed === seeds[i + 1]);
    if (twice >= 0)
      throw new UserError(
        `${same[twice]!.folder} and ${same[twice + 1]!.folder} are the same: ${label} with seed ${seeds[twice]}`,
      );
  }
  const judged = await Promise.all(groups.map((group) => judgeGroup(group, decision)));
  const { pairs, notes } = lossPairs(judged);
  const comparison = {
    groups: judged.map(({ figures }) => figures),
    differences:
      replicates === 0
        ? []
        : methodDifferences(judged, pairs, {
            replicates,
            confidence,
            seconds,
            decision,
            seed: bootstrapSeed,
            onDraw: options.onDraw,
          }),
    confounded: confoundedPairs(pairs),
    notes: [...notes, ...judged.flatMap(({ undecided }) => undecided ?? [])],
    decision,
    replicates,
    confidence,
  };
  return { verdict: comparisonVerdict(comparison), ...comparison };
}
