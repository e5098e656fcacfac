// All metrics that depend on the order of scores, and all counts at a threshold, come from one walk over each class's
// rows from the highest score down. The sorting is done once; a bootstrap replicate only repeats the walk with other
// multiplicities.

import { type CheckedScores, UNKNOWN } from './scored.js';
import { descendingKey, type ScoreSorter, scoreSorter } from './scoreSorter.js';

/** Bits of a ranked entry, below the row number; the first is the label itself. */
export const IS_PRESENT = 1;
export const ENDS_TIE = 2;
export const IN_NEGATIVE_ROW = 4;
export const ROW_SHIFT = 3;

/**
 * The rows in which a class's label is known, by descending score: row number and bits, which say whether the class is
 * present, whether the next score is lower, and whether the row is negative.
 */
export type RankedClass = Uint32Array;

/** What is known of a row, by its known labels only. */
export const ROW_UNLABELLED = 0;
export const ROW_NEGATIVE = 1;
export const ROW_POSITIVE = 2;

/** Every class ranked. */
export interface RankedScores extends CheckedScores {
  readonly classes: readonly RankedClass[];
  /** ROW_UNLABELLED, ROW_NEGATIVE or ROW_POSITIVE. */
  readonly rowKinds: Uint8Array;
}

/** Sorts each class's rows by score. */
export function rankClasses(checked: CheckedScores): RankedScores {
  const { classNames, rows, labels } = checked;
  if (rows > 0xffffffff >>> ROW_SHIFT)
    throw new RangeError(`${rows} rows are more than can be ranked at once`);
  const rowKinds = kindsOfRows(labels, classNames.length);
  const sorter = scoreSorter(rows);
  const classes = classNames.map((_, j) => rankClass(checked, j, rowKinds, sorter));
  return { ...checked, classes, rowKinds };
}

/** The score of a class's k-th entry. */
export function scoreOfEntry({ scores, classNames, classes }: RankedScores, j: number, k: number): number {
  return scores[(classes[j]![k]! >>> ROW_SHIFT) * classNames.length + j]!;
}

/** How many of a class's entries have a score of at least `threshold`. */
export function entriesAtLeast(ranked: RankedScores, j: number, threshold: number): number {
  let low = 0;
  let high = ranked.classes[j]!.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (scoreOfEntry(ranked, j, middle) >= threshold) low = middle + 1;
    else high = middle;
  }
  return low;
}

function kindsOfRows(labels: Int8Array, classes: number): Uint8Array {
  const kinds = new Uint8Array(labels.length / classes);
  for (let i = 0, row = 0; row < kinds.length; row++) {
    let kind = ROW_UNLABELLED;
    for (let j = 0; j < classes; j++, i++) {
      if (labels[i] === 1) kind = ROW_POSITIVE;
      else if (labels[i] === 0 && kind === ROW_UNLABELLED) kind = ROW_NEGATIVE;
    }
    kinds[row] = kind;
  }
  return kinds;
}

function rankClass(
  { scores, labels, rows, classNames }: CheckedScores,
  j: number,
  rowKinds: Uint8Array,
  sorter: ScoreSorter,
): RankedClass {
  const classes = classNames.length;
  const words = new Uint32Array(scores.buffer, scores.byteOffset, scores.byteLength / 4);
  const wordsEach = scores.BYTES_PER_ELEMENT / 4;
  let known = 0;
  for (let row = 0, i = j; row < rows; row++, i += classes) {
    const label = labels[i]!;
    if (label === UNKNOWN) continue;
    sorter.keys[known] = descendingKey(words[(i + 1) * wordsEach - 1]!);
    sorter.entries[known] =
      (row << ROW_SHIFT) | label | (rowKinds[row] === ROW_NEGATIVE ? IN_NEGATIVE_ROW : 0);
    known++;
  }
  const entries = new Uint32Array(known);
  sorter.sort(known, (entry) => scores[(entry >>> ROW_SHIFT) * classes + j]!, ENDS_TIE, entries);
  return entries;
}
