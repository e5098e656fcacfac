// All metrics that depend on the order of scores, and all counts at a threshold, come from one pass over each class's
// rows from the highest score down. Sorting is done once; a bootstrap replicate repeats the pass with other
// multiplicities.

import { type CheckedScores, UNKNOWN } from './scored.js';
import { descendingKey, scoreSorter } from './scoreSorter.js';

/** Bits of a ranked entry, below the row number; the first is the label itself. */
export const IS_PRESENT = 1;
export const ENDS_TIE = 2;
export const IN_NEGATIVE_ROW = 4;
export const IN_UNDECIDED_ROW = 8;
export const ROW_SHIFT = 4;

// Indexed by ROW_UNDECIDED, ROW_NEGATIVE and ROW_POSITIVE.
const KIND_BITS = [IN_UNDECIDED_ROW, IN_NEGATIVE_ROW, 0] as const;

/** Reading one class at a time would load each row's memory once for every class. */
const CLASSES_AT_ONCE = 4;

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
  const keys = Array.from(
    { length: Math.min(CLASSES_AT_ONCE, classNames.length) },
    () => new Uint32Array(rows),
  );
  const classes: RankedClass[] = [];
  for (let first = 0; first < classNames.length; first += CLASSES_AT_ONCE) {
    readClasses(checked, first, keys).forEach((entries, i) => {
      const j = first + i;
      sorter.keys.set(keys[i]!.subarray(0, entries.length));
      sorter.entries.set(entries);
      const scoreOf = (entry: number) => checked.scores[(entry >>> ROW_SHIFT) * classNames.length + j]!;
      sorter.sort(entries.length, scoreOf, ENDS_TIE, entries);
      classes.push(entries);
    });
  }
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

/** Writes the keys of some classes, and returns their entries in the order of the rows. */
function readClasses(
  { scores, labels, rowKinds, rows, classNames }: CheckedScores,
  first: number,
  keys: readonly Uint32Array[],
): RankedClass[] {
  const classes = classNames.length;
  const count = Math.min(keys.length, classes - first);
  const words = new Uint32Array(scores.buffer, scores.byteOffset, scores.byteLength / 4);
  const wordsEach = scores.BYTES_PER_ELEMENT / 4;
  const entries = Array.from({ length: count }, () => new Uint32Array(rows));
  const known = new Uint32Array(count);
  for (let row = 0; row < rows; row++) {
    const bits = (row << ROW_SHIFT) | (KIND_BITS[rowKinds[row]!] ?? 0);
    for (let c = 0, i = row * classes + first; c < count; c++, i++) {
      const label = labels[i]!;
      if (label === UNKNOWN) continue;
      const at = known[c]!;
      keys[c]![at] = descendingKey(words[(i + 1) * wordsEach - 1]!);
      entries[c]![at] = bits | label;
      known[c] = at + 1;
    }
  }
  return entries.map((all, c) => (known[c] === rows ? all : all.slice(0, known[c])));
}
