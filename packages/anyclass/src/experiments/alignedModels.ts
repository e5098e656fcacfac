// Puts the rows of all models in the same order, by file name.

import { listed } from '../errors/listed.js';
import type { ScoredImages } from './readRuns.js';

/** A model's scores on the split it is evaluated on and on the one its decision is fitted on. */
interface TwoSplits {
  readonly scored: ScoredImages;
  readonly validation: ScoredImages;
}

/** Returns the models with all rows in the order of the first model's; there must be no {@link mismatch}. */
export function alignedModels<Model extends TwoSplits>(groups: readonly (readonly Model[])[]): Model[][] {
  const first = groups[0]![0]!;
  return groups.map((group) =>
    group.map((model) => ({
      ...model,
      scored: aligned(model.scored, first.scored),
      validation: aligned(model.validation, first.validation),
    })),
  );
}

function aligned(scored: ScoredImages, { names, classNames }: ScoredImages): ScoredImages {
  if (isSameOrder(scored.names, names)) return scored;
  const rowOf = rowsByName(scored.names);
  const classes = classNames.length;
  const scores = new Float64Array(scored.scores.length);
  const targets = new Float64Array(scores.length);
  names.forEach((name, row) => {
    const from = rowOf.get(name)! * classes;
    for (let j = 0; j < classes; j++) {
      scores[row * classes + j] = scored.scores[from + j]!;
      targets[row * classes + j] = scored.targets[from + j]!;
    }
  });
  return { ...scored, names, scores, targets };
}

/** Scores and the run they come from. */
export interface ScoresOfRun {
  readonly folder: string;
  readonly scored: ScoredImages;
}

/** Says why the scores of two runs cannot be compared image by image; undefined if they can. */
export function mismatch(first: ScoresOfRun, second: ScoresOfRun): string | undefined {
  const [one, two] = [first.scored, second.scored];
  if (one.split !== two.split || one.classNames.join('\n') !== two.classNames.join('\n')) {
    return `${first.folder} was evaluated on ${one.split} with the classes ${one.classNames.join(', ')}, ${second.folder} on ${two.split} with ${two.classNames.join(', ')}`;
  }
  const rowOf = rowsByName(two.names);
  const known = new Set(one.names);
  const onlyFirst = one.names.filter((name) => !rowOf.has(name));
  const onlySecond = two.names.filter((name) => !known.has(name));
  if (onlyFirst.length > 0 || onlySecond.length > 0) {
    return `${first.folder} and ${second.folder} were not evaluated on the same ${one.split} instances: ${told(onlyFirst)} only in the first, ${told(onlySecond)} only in the second`;
  }
  const classes = one.classNames.length;
  const otherwise = one.names.filter((name, row) => {
    const at = rowOf.get(name)! * classes;
    return one.classNames.some((_, j) => !Object.is(one.targets[row * classes + j], two.targets[at + j]));
  });
  return otherwise.length > 0
    ? `${first.folder} and ${second.folder} disagree on the labels of ${one.split} instances: ${told(otherwise)}`
    : undefined;
}

function rowsByName(names: readonly string[]): Map<string, number> {
  return new Map(names.map((name, row) => [name, row]));
}

function isSameOrder(first: readonly string[], second: readonly string[]): boolean {
  return first.length === second.length && first.every((name, row) => name === second[row]);
}

function told(names: readonly string[]): string {
  return names.length === 0 ? 'none' : `${names.length} (${listed(names, 3)})`;
}
