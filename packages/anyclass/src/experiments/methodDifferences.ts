// Paired differences between a loss and the one it is compared with.

import {
  bootstrapDecisions,
  bootstrapSeeds,
  type Difference,
  eachMetric,
  joinSeeds,
  type PaperMetric,
  type SeedReplicates,
  seedDifference,
} from '@anyclass/core';
import { alignedModels, mismatch } from './alignedModels.js';
import type { HeldDifference, MethodDifference, MetricDifferences } from './comparisonResult.js';
import type { DecisionChoice } from './decisionText.js';
import type { ComparedModel, JudgedGroup } from './judgedGroup.js';
import { judgedOf, type LossPair } from './lossPairs.js';
import type { SeedGroup } from './seedGroups.js';

/** What a bootstrap draw evaluates: metrics at 0.5, or decisions that are refitted in each draw. */
export type DrawTask = 'at 0.5' | 'at decisions';

export interface DifferenceOptions {
  readonly replicates: number;
  readonly seed: number;
  readonly confidence: number;
  readonly decision: DecisionChoice;
  /** Time limit per dataset for the draws at decisions. */
  readonly seconds: number;
  /** Called after each draw for a dataset. */
  readonly onDraw?: ((task: DrawTask) => void) | undefined;
}

/** Returns one difference for each pair. */
export function methodDifferences(
  judged: readonly JudgedGroup[],
  pairs: readonly LossPair[],
  options: DifferenceOptions,
): MethodDifference[] {
  const compared = pairs.map(({ tested, standard }) => ({
    one: judgedOf(tested, judged),
    other: judgedOf(standard, judged),
  }));
  return onSameImages(compared).flatMap((same) => ofSameImages(same, options));
}

interface JudgedPair {
  readonly one: JudgedGroup;
  readonly other: JudgedGroup;
}

/** Groups pairs evaluated on the same images of a dataset; one set of draws serves a whole group. */
function onSameImages(pairs: readonly JudgedPair[]): JudgedPair[][] {
  const sets: JudgedPair[][] = [];
  for (const pair of pairs) {
    const same = sets.find(
      ([first]) =>
        first!.one.group.dataset === pair.one.group.dataset &&
        mismatch(first!.other.models[0]!, pair.other.models[0]!) === undefined,
    );
    if (same) same.push(pair);
    else sets.push([pair]);
  }
  return sets;
}

function ofSameImages(pairs: readonly JudgedPair[], options: DifferenceOptions): MethodDifference[] {
  const compared = [...new Set(pairs.flatMap(({ one, other }) => [other, one]))];
  const runs = alignedModels(compared.map(({ models }) => models)).flat();
  const { classImportance } = compared[0]!.group.runs[0]!;
  const atHalf = drawnAtHalf(runs, classImportance, options);
  const isDecided = compared.every(({ metrics }) => metrics.decided?.test);
  const atDecision = isDecided ? drawnAtDecisions(runs, classImportance, options) : undefined;
  return pairs.map(({ one, other }) => {
    const seeds = comparedSeeds(other.group, one.group);
    const at = (drawn: Replicates) =>
      heldDifferences(
        sideOf(other, seeds.standard, drawn),
        sideOf(one, seeds.tested, drawn),
        options.confidence,
      );
    const { dataset, network, label } = one.group;
    return {
      dataset,
      network,
      loss: label,
      standard: other.group.label,
      split: one.metrics.test ? 'test' : 'validation',
      atHalf: at(atHalf),
      atDecision: atDecision ? at(atDecision) : null,
      replicates: atDecision?.values().next().value?.replicates.length ?? 0,
    };
  });
}

/** Replicates of each single run, keyed by folder: which runs make up a side depends on the pair. */
type Replicates = ReadonlyMap<string, SeedReplicates>;

function drawnAtHalf(
  runs: readonly ComparedModel[],
  classImportance: readonly number[] | undefined,
  { replicates, seed, onDraw }: DifferenceOptions,
): Replicates {
  const drawn = bootstrapSeeds(
    runs.map((model) => [model]),
    {
      replicates,
      seed,
      onReplicate: () => onDraw?.('at 0.5'),
      ...(classImportance && { classImportance }),
    },
  );
  return new Map(runs.map(({ folder }, i) => [folder, drawn[i]![0]!]));
}

/** In each draw, every run's decision is refitted on resampled validation images. */
function drawnAtDecisions(
  runs: readonly ComparedModel[],
  classImportance: readonly number[] | undefined,
  { replicates, seed, seconds, decision, onDraw }: DifferenceOptions,
): Replicates {
  const drawn = bootstrapDecisions(
    runs.map(({ validation, scored }) => ({ validation, test: scored, decision })),
    {
      replicates,
      seed,
      seconds,
      onReplicate: () => onDraw?.('at decisions'),
      ...(classImportance && { classImportance }),
    },
  );
  return new Map(runs.map(({ folder }, i) => [folder, drawn[i]!]));
}

/** The seeds that both sides share, so that a lucky seed counts on both; if none, all seeds of each side. */
function comparedSeeds(
  standard: SeedGroup,
  tested: SeedGroup,
): { readonly standard: readonly number[]; readonly tested: readonly number[] } {
  const shared = tested.seeds.filter((seed) => standard.seeds.includes(seed));
  return shared.length > 0
    ? { standard: shared, tested: shared }
    : { standard: standard.seeds, tested: tested.seeds };
}

/** The runs of one side of a comparison, with their seeds. */
export interface Side {
  readonly seeds: readonly number[];
  readonly replicates: readonly SeedReplicates[];
}

function sideOf({ group, models }: JudgedGroup, seeds: readonly number[], replicates: Replicates): Side {
  const ofSeed = (seed: number) => replicates.get(models[group.seeds.indexOf(seed)]!.folder)!;
  return { seeds, replicates: seeds.map(ofSeed) };
}

/** By how much the second side's metrics exceed the first one's, and whether that holds. */
export function heldDifferences(first: Side, second: Side, confidence: number): MetricDifferences {
  const differences = seedDifference(joinSeeds(first.replicates), joinSeeds(second.replicates), confidence);
  return eachMetric((metric) => {
    const difference = differences[metric];
    return difference && { ...difference, holds: word(difference), perSeed: perSeed(first, second, metric) };
  });
}

function word({ low, high }: Difference): HeldDifference['holds'] {
  return low > 0 ? 'higher' : high < 0 ? 'lower' : 'unclear';
}

function perSeed(first: Side, second: Side, metric: PaperMetric): number[] {
  return second.seeds.flatMap((seed, i) => {
    const one = first.replicates[first.seeds.indexOf(seed)]?.value[metric] ?? null;
    const two = second.replicates[i]!.value[metric];
    return one === null || two === null ? [] : [two - one];
  });
}
