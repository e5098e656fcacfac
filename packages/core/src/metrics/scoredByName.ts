import { checkLength, type FloatArray } from '../arrays/rowMajor.js';
import type { Key } from '../labels/distinctKeys.js';
import type { Scored } from './scored.js';

/** Scores of rows that are identified by name, such as those in a score file. */
export interface NamedScores {
  readonly names: readonly string[];
  readonly scores: FloatArray;
}

export interface NamedTargets {
  readonly names: readonly string[];
  readonly targets: ArrayLike<number>;
  /** The group of each row, if the table of labels has such a column. */
  readonly groups?: ArrayLike<Key> | undefined;
}

const LISTED = 10;

/**
 * Matches scores with labels by file name, never by row order; the result is in the order of the labels. A name that
 * appears twice, or on one side only, is an error that lists it.
 *
 * @example
 * const scores = { names: ['b.png', 'a.png'], scores: new Float64Array([0.2, 0.9]) };
 * const labels = { names: ['a.png', 'b.png'], targets: [1, 0] };
 * scoredByName(scores, labels, ['crack']).scores // 0.9 0.2
 */
export function scoredByName(
  scored: NamedScores,
  labeled: NamedTargets,
  classNames: readonly string[],
): Scored {
  const classes = classNames.length;
  checkLength('scores', scored.scores.length, scored.names.length * classes, 'one per name and class');
  checkLength('targets', labeled.targets.length, labeled.names.length * classes, 'one per name and class');
  const { targets, groups } = labeled;
  const matched = (scores: FloatArray): Scored => ({
    scores,
    targets,
    classNames,
    ...(groups && { groups }),
  });
  if (areSame(scored.names, labeled.names) && areDistinct(scored.names)) return matched(scored.scores);
  const rowOfScore = rowsByName(scored.names, 'scores');
  const rowOfLabel = rowsByName(labeled.names, 'labels');
  const withoutScores = labeled.names.filter((name) => !rowOfScore.has(name));
  const withoutLabels = scored.names.filter((name) => !rowOfLabel.has(name));
  const problems = [
    ...(withoutScores.length > 0 ? [`${listed(withoutScores)} without scores`] : []),
    ...(withoutLabels.length > 0 ? [`${listed(withoutLabels)} without labels`] : []),
  ];
  if (problems.length > 0) throw new RangeError(problems.join('; '));

  const scores = scored.scores.slice();
  labeled.names.forEach((name, row) => {
    const from = rowOfScore.get(name)! * classes;
    scores.set(scored.scores.subarray(from, from + classes), row * classes);
  });
  return matched(scores);
}

function areSame(first: readonly string[], second: readonly string[]): boolean {
  return first.length === second.length && first.every((name, row) => name === second[row]);
}

/** Names in ascending order, as most tables have them, need no set. */
function areDistinct(names: readonly string[]): boolean {
  const isAscending = names.every((name, row) => row === 0 || names[row - 1]! < name);
  return isAscending || new Set(names).size === names.length;
}

function rowsByName(names: readonly string[], side: string): Map<string, number> {
  const rows = new Map<string, number>();
  const twice = new Set<string>();
  names.forEach((name, row) => {
    if (rows.has(name)) twice.add(name);
    rows.set(name, row);
  });
  if (twice.size > 0) throw new RangeError(`${listed([...twice])} twice or more among the ${side}`);
  return rows;
}

function listed(names: readonly string[]): string {
  const shown = names.slice(0, LISTED).join(', ');
  const more = names.length > LISTED ? ` and ${names.length - LISTED} more` : '';
  return `${names.length} ${names.length === 1 ? 'name' : 'names'} (${shown}${more})`;
}
