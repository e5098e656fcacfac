// Compares runs: metrics over seeds, and paired differences from the standard loss, all computed from the
// scores in the run folders.

import { type Candidates, checkDecisionOptions, type FitDecisionOptions } from '@anyclass/core';
import { runCandidates } from '../configuration/candidates.js';
import { UserError } from '../errors/userError.js';
import type { Comparison } from './comparisonResult.js';
import { comparisonVerdict } from './comparisonVerdict.js';
import { confoundedPairs } from './confounds.js';
import { judgeGroup } from './judgedGroup.js';
import { lossPairs } from './lossPairs.js';
import { type DrawTask, methodDifferences } from './methodDifferences.js';
import type { Run } from './readRuns.js';
import { groupBySeed } from './seedGroups.js';

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
  const decision = { rule, budget, beta, candidates: comparedCandidates(runs) };
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
    groups: judged.map(({ metrics }) => metrics),
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

/**
 * Among how many candidates validation chose. Whoever compares runs may use the best of them and stop or go on by the results,
 * so at several runs the promise is approximate.
 */
function comparedCandidates([run, ...others]: readonly Run[]): Candidates {
  if (!run || others.length > 0) return 'adaptive';
  return runCandidates(run.configuration, run.summary.epochs);
}
