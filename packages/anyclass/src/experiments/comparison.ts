// Runs beside one another: figures over seeds, and paired differences to the standard loss. All of it is computed from the
// scores in the run folders.

import type { Difference, PaperFigure } from '@anyclass/core';
import { UserError } from '../errors/userError.js';
import { type ConfoundedPair, confoundedPairs } from './confounds.js';
import type { Spread } from './figures.js';
import { judgeGroup } from './judgedGroup.js';
import { withKeptNegatives } from './keptNegatives.js';
import { lossPairs } from './lossPairs.js';
import { methodDifferences } from './methodDifferences.js';
import type { JudgedSplit, Run } from './readRuns.js';
import { groupBySeed, type SeedGroup } from './seedGroups.js';
import { comparisonVerdict } from './verdict.js';

export interface ComparisonOptions {
  /** Of the bootstrap; default 1000, and 0 leaves differences out. */
  readonly replicates?: number;
  /** Of the bootstrap's draws; default 0. */
  readonly bootstrapSeed?: number;
  /** Of the intervals; default 0.95. */
  readonly confidence?: number;
  /** Fitted thresholds maximize this Fβ on validation; default 1. */
  readonly thresholdBeta?: number;
  /** Called after each draw of the bootstrap, of which every dataset has `replicates`. */
  readonly onDraw?: () => void;
}

/** Runs beside one another. Plain JSON. */
export interface Comparison {
  /** What it says, in a sentence for each standard loss. */
  readonly verdict: string;
  readonly groups: readonly GroupFigures[];
  readonly differences: readonly MethodDifference[];
  /** Losses whose runs differ from those of their standard loss in more than the loss. */
  readonly confounded: readonly ConfoundedPair[];
  /** Losses that could not be compared with their standard loss, and why. */
  readonly notes: readonly string[];
  readonly replicates: number;
  readonly confidence: number;
}

/** One row of a loss table: a set-up's figures over its seeds. */
export interface GroupFigures extends Omit<SeedGroup, 'runs'> {
  readonly folders: readonly string[];
  /** The figures of the paper's tables for this data, in their order. */
  readonly figures: readonly PaperFigure[];
  /** At 0.5. */
  readonly validation: FigureSpreads;
  /** At 0.5; null where the test split has no labels. */
  readonly test: FigureSpreads | null;
  /** At thresholds fitted on validation, for each class and run. */
  readonly fittedTest: FigureSpreads | null;
  /**
   * At one threshold for all classes of a run: of 0, 0.01, … 1 the one with the highest F1 on validation among those that keep
   * the F1-Neg of the standard loss with the same seed at 0.5. Null where there is no standard loss to keep up with, or no labeled test split.
   */
  readonly keptTest: FigureSpreads | null;
  /** Those thresholds, by rising seed. */
  readonly keptThresholds: readonly number[] | null;
}

export type FigureSpreads = Readonly<Record<PaperFigure, Spread | null>>;

/** By how much an any-class loss differs from its standard loss on the same instances. */
export interface MethodDifference {
  readonly dataset: string;
  readonly network: string;
  /** Labels of the groups. */
  readonly loss: string;
  readonly standard: string;
  /** Test, or validation where the test split has no labels. */
  readonly split: JudgedSplit;
  readonly atHalf: FigureDifferences;
  /** Both sides at thresholds fitted on validation; null where there is only validation to judge on. */
  readonly atFitted: FigureDifferences | null;
  /** Both sides at one threshold for all classes that keeps the standard loss's F1-Neg; null as with `atFitted`. */
  readonly atKept: FigureDifferences | null;
}

export type FigureDifferences = Readonly<Record<PaperFigure, HeldDifference | null>>;

export interface HeldDifference extends Difference {
  /** 'unclear' where the interval holds 0. */
  readonly holds: 'higher' | 'lower' | 'unclear';
  /** Of the seeds that both sides have; empty where there is none. */
  readonly perSeed: readonly number[];
}

/**
 * Compares finished runs. Runs that differ in their seed alone are one group. The differences come from a bootstrap over
 * the instances, the same draws for all groups of a dataset; in each draw a side's figure is the mean over the seeds that
 * both sides have. Losses that were not judged on the same images as their standard loss have no difference, but a note.
 *
 * @example
 * const { verdict, groups, differences } = await compareRuns(readRuns(['comparisons/coco']));
 * verdict // 'any-bce λ=0.02 beats bce on F1 by 2.9 points (2.1 to 3.7) at the same F1-Neg (test, 3 seeds).'
 * groups[0]?.test?.mAP?.mean
 * differences[0]?.atHalf.macroF1 // { value: 0.029, low: 0.021, high: 0.037, holds: 'higher', … }
 */
export async function compareRuns(
  runs: readonly Run[],
  options: ComparisonOptions = {},
): Promise<Comparison> {
  const { replicates = 1000, confidence = 0.95, thresholdBeta = 1, bootstrapSeed = 0 } = options;
  const groups = groupBySeed(runs);
  for (const { label, seeds, runs: same } of groups) {
    const twice = seeds.findIndex((seed, i) => seed === seeds[i + 1]);
    if (twice >= 0)
      throw new UserError(
        `${same[twice]!.folder} and ${same[twice + 1]!.folder} are the same: ${label} with seed ${seeds[twice]}`,
      );
  }
  const alone = await Promise.all(groups.map((group) => judgeGroup(group, thresholdBeta)));
  const { pairs, notes } = lossPairs(alone);
  const judged = withKeptNegatives(alone, pairs);
  const comparison = {
    groups: judged.map(({ figures }) => figures),
    differences:
      replicates === 0
        ? []
        : methodDifferences(judged, pairs, {
            replicates,
            confidence,
            seed: bootstrapSeed,
            onDraw: options.onDraw,
          }),
    confounded: confoundedPairs(pairs),
    notes,
    replicates,
    confidence,
  };
  return { verdict: comparisonVerdict(comparison), ...comparison };
}
