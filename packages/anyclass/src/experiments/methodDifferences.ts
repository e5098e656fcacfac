// Paired differences between an any-class loss and its standard loss.

import {
  bootstrapSeeds,
  type Difference,
  joinSeeds,
  type PaperFigure,
  type SeedReplicates,
  seedDifference,
} from '@anyclass/core';
import { alignedModels } from './alignedModels.js';
import type { FigureDifferences, HeldDifference, MethodDifference } from './comparison.js';
import { eachFigure } from './figures.js';
import type { JudgedGroup } from './judgedGroup.js';
import { type SeedGroup, standardOf } from './seedGroups.js';

export interface DifferenceOptions {
  readonly replicates: number;
  readonly seed: number;
  readonly confidence: number;
  /** Called after each draw for a dataset. */
  readonly onDraw?: (() => void) | undefined;
}

/** One for each group with an any-class loss whose standard loss is there too. */
export function methodDifferences(
  judged: readonly JudgedGroup[],
  options: DifferenceOptions,
): MethodDifference[] {
  const datasets = [...new Set(judged.map(({ group }) => group.dataset))];
  return datasets.flatMap((dataset) =>
    ofDataset(
      judged.filter(({ group }) => group.dataset === dataset),
      options,
    ),
  );
}

function ofDataset(judged: readonly JudgedGroup[], options: DifferenceOptions): MethodDifference[] {
  const groups = judged.map(({ group }) => group);
  const pairs = judged.flatMap((one) => {
    const standard = standardOf(one.group, groups);
    return standard ? [{ one, other: judged.find(({ group }) => group === standard)! }] : [];
  });
  if (pairs.length === 0) return [];
  const compared = [...new Set(pairs.flatMap(({ one, other }) => [other, one]))];
  const importance = compared[0]!.group.runs[0]!.classImportance;
  const { replicates: draws, seed, confidence, onDraw } = options;
  // Each run alone: which of them make up a side depends on the pair.
  const runs = alignedModels(compared.map(({ models }) => models)).flat();
  const ofRuns = bootstrapSeeds(
    runs.map((model) => [model]),
    {
      replicates: draws,
      seed,
      ...(onDraw && { onReplicate: onDraw }),
      ...(importance && { classImportance: importance }),
    },
  );
  const replicatesOf = ({ models }: JudgedGroup, i: number) =>
    ofRuns[runs.findIndex(({ folder }) => folder === models[i]!.folder)]!;
  return pairs.map(({ one, other }) => {
    const seeds = comparedSeeds(other.group, one.group);
    const side = (judgedGroup: JudgedGroup, of: readonly number[], setting: number): Side => ({
      seeds: of,
      replicates: of.map(
        (value) => replicatesOf(judgedGroup, judgedGroup.group.seeds.indexOf(value))[setting]!,
      ),
    });
    const at = (setting: number) =>
      held(side(other, seeds.standard, setting), side(one, seeds.anyClass, setting), confidence);
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
interface Side {
  readonly seeds: readonly number[];
  readonly replicates: readonly SeedReplicates[];
}

function held(first: Side, second: Side, confidence: number): FigureDifferences {
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
