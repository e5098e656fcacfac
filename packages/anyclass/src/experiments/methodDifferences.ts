// Paired differences between an any-class loss and its standard loss.

import {
  bootstrapSeeds,
  type Difference,
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
  const replicates = bootstrapSeeds(alignedModels(compared.map(({ models }) => models)), {
    replicates: draws,
    seed,
    ...(onDraw && { onReplicate: onDraw }),
    ...(importance && { classImportance: importance }),
  });
  const replicatesOf = (group: JudgedGroup) => replicates[compared.indexOf(group)]!;
  return pairs.map(({ one, other }) => {
    const [standard, anyClass] = [replicatesOf(other), replicatesOf(one)];
    const at = (setting: number) =>
      held(
        { group: other.group, replicates: standard[setting]! },
        { group: one.group, replicates: anyClass[setting]! },
        confidence,
      );
    const { dataset, network, label } = one.group;
    return {
      dataset,
      network,
      loss: label,
      standard: other.group.label,
      split: standard.length > 1 ? 'test' : 'validation',
      atHalf: at(0),
      atFitted: standard.length > 1 ? at(1) : null,
    };
  });
}

interface Side {
  readonly group: SeedGroup;
  readonly replicates: SeedReplicates;
}

function held(first: Side, second: Side, confidence: number): FigureDifferences {
  const differences = seedDifference(first.replicates, second.replicates, confidence);
  return eachFigure((figure) => {
    const difference = differences[figure];
    return difference && { ...difference, holds: word(difference), perSeed: perSeed(first, second, figure) };
  });
}

function word({ low, high }: Difference): HeldDifference['holds'] {
  return low > 0 ? 'higher' : high < 0 ? 'lower' : 'unclear';
}

function perSeed(first: Side, second: Side, figure: PaperFigure): number[] {
  return second.group.seeds.flatMap((seed, i) => {
    const one = first.replicates.models[first.group.seeds.indexOf(seed)]?.[figure] ?? null;
    const two = second.replicates.models[i]![figure];
    return one === null || two === null ? [] : [two - one];
  });
}
