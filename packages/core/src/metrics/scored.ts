import { checkLength, type FloatArray, rowsOf } from '../arrays/rowMajor.js';
import type { Key } from '../labels/distinctKeys.js';
import { type Grouping, groupingOf } from '../labels/groups.js';
import { PRESENT_FROM, presenceOfRows } from '../labels/instancePresence.js';
import { checkPresence, presenceScores } from './presence.js';

/** A model's scores and the true labels, in row-major order: entry (row, class) is at row · classes + class. */
export interface Scored {
  /** Probabilities, or anything that increases with them. */
  readonly scores: FloatArray;
  /** From 0 to 1, with at least 0.5 meaning present, or NaN for an unknown label, which is ignored. */
  readonly targets: ArrayLike<number>;
  readonly classNames: readonly string[];
  /** Name of the split, such as 'validation' or 'test'; needed to evaluate fitted thresholds. */
  readonly split?: string;
  /**
   * The group of each row, such as its patient, pipe or video, if rows of one group are not independent. Promises then rest
   * on one row a group, bootstraps draw whole groups, and cross-fitting keeps them together.
   */
  readonly groups?: ArrayLike<Key> | undefined;
  /**
   * The presence score of each row, if it is not that of `scores`. Set it where `scores` were calibrated on the rows that a
   * gate is fitted on: a promise needs presence under a calibration that does not know these rows, or under none.
   */
  readonly presence?: Float64Array | undefined;
}

/** The checked label of an entry whose target is unknown. */
export const UNKNOWN = -1;

/** Scored data that passed the checks, with labels as 0, 1 or UNKNOWN. */
export interface CheckedScores {
  readonly scores: FloatArray;
  readonly labels: Int8Array;
  /** ROW_UNDECIDED, ROW_NEGATIVE or ROW_POSITIVE. */
  readonly rowKinds: Uint8Array;
  readonly rows: number;
  readonly classNames: readonly string[];
  readonly grouping?: Grouping | undefined;
  /** Presence scores that are not those of `scores`. */
  readonly givenPresence?: Float64Array | undefined;
}

/** Throws if scores or targets are invalid, naming the row and the class. */
export function checkScored({ scores, targets, classNames, groups, presence }: Scored): CheckedScores {
  const classes = classNames.length;
  const duplicate = classNames.find((name, j) => classNames.indexOf(name) !== j);
  if (duplicate !== undefined) throw new RangeError(`classNames holds '${duplicate}' twice`);
  const rows = rowsOf('scores', scores.length, classes);
  if (rows === 0) throw new RangeError('scores is empty; expected one or more rows');
  checkLength('targets', targets.length, scores.length, 'one per score');
  const labels = new Int8Array(scores.length);
  for (let i = 0; i < labels.length; i++) {
    const target = targets[i]!;
    if (Number.isNaN(scores[i])) {
      throw new RangeError(`scores at ${placeOf(i, classNames)} is NaN; expected a number`);
    }
    if (target >= 0 && target <= 1) labels[i] = target >= PRESENT_FROM ? 1 : 0;
    else if (Number.isNaN(target)) labels[i] = UNKNOWN;
    else {
      throw new RangeError(
        `targets at ${placeOf(i, classNames)} is ${target}; expected 0 to 1, or NaN for unknown`,
      );
    }
  }
  if (presence !== undefined) checkPresence(presence, rows);
  return {
    scores,
    labels,
    rowKinds: presenceOfRows(targets, classes),
    rows,
    classNames,
    grouping: groups === undefined ? undefined : groupingOf(groups, rows),
    givenPresence: presence,
  };
}

/** Returns the presence scores to rank rows by. */
export function presenceOf({ scores, classNames, givenPresence }: CheckedScores): Float64Array {
  return givenPresence ?? presenceScores(scores, classNames.length);
}

/** Whether two lists name the same classes in the same order. */
export function areSameClasses(first: readonly string[], second: readonly string[]): boolean {
  return first.length === second.length && first.every((name, j) => name === second[j]);
}

/** Returns the place of an entry for messages, such as 'row 3, class Hernia'. */
export function placeOf(index: number, classNames: readonly string[]): string {
  return `row ${Math.floor(index / classNames.length)}, class ${classNames[index % classNames.length]}`;
}
