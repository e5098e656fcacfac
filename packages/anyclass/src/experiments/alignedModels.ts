// The same rows in the same order for all models, by file name.

import { UserError } from '../userError.js';
import type { ComparedModel } from './judgedGroup.js';
import type { NamedScores } from './readRuns.js';

/** The models with the rows of all in the order of the first one's; models of other rows or classes are refused. */
export function alignedModels(groups: readonly (readonly ComparedModel[])[]): ComparedModel[][] {
  const first = groups[0]![0]!;
  return groups.map((group) =>
    group.map((model) => ({ ...model, scored: aligned(model.scored, first, model.folder) })),
  );
}

function aligned(scored: NamedScores, first: ComparedModel, folder: string): NamedScores {
  const { names, classNames, split } = first.scored;
  if (scored.split !== split || scored.classNames.join('\n') !== classNames.join('\n')) {
    throw new UserError(
      `${folder} was judged on ${scored.split} with the classes ${scored.classNames.join(', ')}, ${first.folder} on ${split} with ${classNames.join(', ')}: they cannot be compared`,
    );
  }
  if (isSameOrder(scored.names, names)) return scored;
  const rowOf = new Map(scored.names.map((name, row) => [name, row]));
  const missing = names.filter((name) => !rowOf.has(name));
  if (missing.length > 0 || scored.names.length !== names.length) {
    const known = new Set(names);
    const other = scored.names.filter((name) => !known.has(name));
    throw new UserError(
      `${folder} and ${first.folder} were not judged on the same ${split} images: ${told(missing)} only in the second, ${told(other)} only in the first`,
    );
  }
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

function isSameOrder(first: readonly string[], second: readonly string[]): boolean {
  return first.length === second.length && first.every((name, row) => name === second[row]);
}

function told(names: readonly string[]): string {
  const some = names.slice(0, 3).join(', ');
  return names.length === 0 ? 'none' : `${names.length} (${some}${names.length > 3 ? ', …' : ''})`;
}
