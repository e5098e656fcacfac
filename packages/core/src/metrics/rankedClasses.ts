// All metrics that depend on the order of scores, and all counts at a threshold, come from one pass over each class's
// rows from the highest score down. Sorting is done once; a bootstrap replicate repeats the pass with other
// multiplicities.

import { type CheckedScores, UNKNOWN } from './scored.js';
import { descendingKey, type ScoreSorter, scoreSorter } from './scoreSorter.js';

/** Bits of a ranked entry, below the row number; the first is the label itself. */
export const IS_PRESENT = 1;
export const ENDS_TIE = 2;
export const IN_NEGATIVE_ROW = 4;
export const IN_UNDECIDED_ROW = 8;
export const ROW_SHIFT = 4;

// Indexed by ROW_UNDECIDED, ROW_NEGATIVE and ROW_POSITIVE.
const KIND_BITS = [IN_UNDECIDED_ROW, IN_NEGATIVE_ROW, 0] as const;

/**
 * The rows in which a class's label is known, by descending score: row number and bits, which say whether the class is
 * present, whether the next score is lower, and whether the row is negative or undecided.
 */
export type RankedClass = Uint32Array;

/** Scores with every class ranked. */
export interface RankedScores extends CheckedScores {
  readonly classes: readonly RankedClass[];
}

/** Sorts each class's rows by score; the sorter can be reused. */
export function rankClasses(checked: CheckedScores, sorter = scoreSorter(checked.rows)): RankedScores {
  const { classNames, rows } = checked;
  if (rows > 0xffffffff >>> ROW_SHIFT)
    throw new RangeError(`${rows} rows are more than can be ranked at once`);
  const classes = classNames.map((_, j) => rankClass(checked, j, sorter));
  return { ...checked, classes };
}

/** Returns the score of a class's k-th entry. */
export function scoreOfEntry({ scores, classNames, classes }: RankedScores, j: number, k: number): number {
  return scores[(classes[j]![k]! >>> ROW_SHIFT) * classNames.length + j]!;
}

/** Returns how many of a class's entries have a score of at least `threshold`. */
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

function rankClass(
  { scores, labels, rowKinds, rows, classNames }: CheckedScores,
  j: number,
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
    sorter.entries[known] = (row << ROW_SHIFT) | label | (KIND_BITS[rowKinds[row]!] ?? 0);
    known++;
  }
  const entries = new Uint32Array(known);
  sorter.sort(known, (entry) => scores[(entry >>> ROW_SHIFT) * classes + j]!, ENDS_TIE, entries);
  return entries;
}
