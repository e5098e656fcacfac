// Paired differences between an any-class loss and its standard loss.

import {
  bootstrapSeeds,
  type Difference,
  eachFigure,
  joinSeeds,
  type PaperFigure,
  type SeedReplicates,
  seedDifference,
} from '@anyclass/core';
import { alignedModels, mismatch } from './alignedModels.js';
import type { FigureDifferences, HeldDifference, MethodDifference } from './comparison.js';
import type { JudgedGroup } from './judgedGroup.js';
import { judgedOf, type LossPair } from './lossPairs.js';
import type { SeedGroup } from './seedGroups.js';

export interface DifferenceOptions {
  readonly replicates: number;
  readonly seed: number;
  readonly confidence: number;
  /** Called after each draw for a dataset. */
  readonly onDraw?: (() => void) | undefined;
}

/** One for each pair. */
export function methodDifferences(
  judged: readonly JudgedGroup[],
  pairs: readonly LossPair[],
  options: DifferenceOptions,
): MethodDifference[] {
  const compared = pairs.map(({ anyClass, standard }) => ({
    one: judgedOf(anyClass, judged),
    other: judgedOf(standard, judged),
  }));
  return onSameImages(compared).flatMap((same) => ofSameImages(same, options));
}

interface JudgedPair {
  readonly one: JudgedGroup;
  readonly other: JudgedGroup;
}

/** The pairs of each dataset: one set of draws serves them all, unless some were judged on other images. */
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
  const replicates = replicatesByFolder(
    [...new Set(pairs.flatMap(({ one, other }) => [other, one]))],
    options,
  );
  return pairs.map(({ one, other }) => {
    const seeds = comparedSeeds(other.group, one.group);
    const at = (setting: number) =>
      heldDifferences(
        sideOf(other, seeds.standard, replicates, setting),
        sideOf(one, seeds.anyClass, replicates, setting),
        options.confidence,
      );
    const { dataset, network, label } = one.group;
    const settings = Math.min(one.models[0]!.thresholds.length, other.models[0]!.thresholds.length);
    return {
      dataset,
      network,
      loss: label,
      standard: other.group.label,
      split: settings > 1 ? 'test' : 'validation',
      atHalf: at(0),
      atFitted: settings > 1 ? at(1) : null,
      atKept: settings > 2 ? at(2) : null,
    };
  });
}

type Replicates = ReadonlyMap<string, readonly SeedReplicates[]>;

/** Of each run alone, at each of its settings of thresholds: which runs make up a side depends on the pair. */
function replicatesByFolder(compared: readonly JudgedGroup[], options: DifferenceOptions): Replicates {
  const { replicates, seed, onDraw } = options;
  const classImportance = compared[0]!.group.runs[0]!.classImportance;
  const runs = alignedModels(compared.map(({ models }) => models)).flat();
  const ofRuns = bootstrapSeeds(
    runs.map((model) => [model]),
    {
      replicates,
      seed,
      ...(onDraw && { onReplicate: onDraw }),
      ...(classImportance && { classImportance }),
    },
  );
  return new Map(runs.map(({ folder }, i) => [folder, ofRuns[i]!]));
}

/** The seeds that both have, so that a lucky one counts on both sides; where they share none, all of each. */
function comparedSeeds(
  standard: SeedGroup,
  anyClass: SeedGroup,
): { readonly standard: readonly number[]; readonly anyClass: readonly number[] } {
  const shared = anyClass.seeds.filter((seed) => standard.seeds.includes(seed));
  return shared.length > 0
    ? { standard: shared, anyClass: shared }
    : { standard: standard.seeds, anyClass: anyClass.seeds };
}

/** The runs of one side, by their seeds. */
export interface Side {
  readonly seeds: readonly number[];
  readonly replicates: readonly SeedReplicates[];
}

function sideOf(
  { group, models }: JudgedGroup,
  seeds: readonly number[],
  replicates: Replicates,
  setting: number,
): Side {
  const ofSeed = (seed: number) => replicates.get(models[group.seeds.indexOf(seed)]!.folder)![setting]!;
  return { seeds, replicates: seeds.map(ofSeed) };
}

/** By how much the second side's figures exceed the first one's, and whether that holds. */
export function heldDifferences(first: Side, second: Side, confidence: number): FigureDifferences {
  const differences = seedDifference(joinSeeds(first.replicates), joinSeeds(second.replicates), confidence);
  return eachFigure((figure) => {
    const difference = differences[figure];
    return difference && { ...difference, holds: word(difference), perSeed: perSeed(first, second, figure) };
  });
}

function word({ low, high }: Difference): HeldDifference['holds'] {
  return low > 0 ? 'higher' : high < 0 ? 'lower' : 'unclear';
}

function perSeed(first: Side, second: Side, figure: PaperFigure): number[] {
  return second.seeds.flatMap((seed, i) => {
    const one = first.replicates[first.seeds.indexOf(seed)]?.value[figure] ?? null;
    const two = second.replicates[i]!.value[figure];
    return one === null || two === null ? [] : [two - one];
  });
}
