// Groups of rows that are not independent: the images of a patient, a pipe or a video.

import { checkLength } from '../arrays/rowMajor.js';
import { distinctKeys, type Key } from './distinctKeys.js';

/** Which group each row belongs to. */
export interface Grouping {
  /** The names of the groups, in order of first appearance. */
  readonly names: readonly Key[];
  /** The group of each row, as an index into `names`. */
  readonly codes: Int32Array;
}

/** Checks that every row has a group, and numbers the groups. */
export function groupingOf(groups: ArrayLike<Key>, rows: number): Grouping {
  checkLength('groups', groups.length, rows, 'one per row');
  for (let row = 0; row < rows; row++) {
    if (groups[row] === '' || groups[row] === undefined || groups[row] === null) {
      throw new RangeError(`groups has no value at row ${row}; every row needs a group`);
    }
  }
  const { keys, indices } = distinctKeys(groups, 'appearance', 'groups');
  return { names: keys, codes: indices };
}

/**
 * Draws one row of every group that has a candidate: its candidates are sorted by score, and number h mod m is taken, with
 * h a hash of the group's name. The draw is as good as random and cannot be repeated until it looks better: the seed is
 * fixed, and the order of the rows does not matter.
 *
 * @returns the drawn rows, in the order of the groups
 */
export function drawOfGroups(
  { names, codes }: Grouping,
  scores: Float64Array,
  isCandidate: (row: number) => boolean,
): Uint32Array {
  const candidates: number[][] = names.map(() => []);
  codes.forEach((group, row) => {
    if (isCandidate(row)) candidates[group]!.push(row);
  });
  const drawn = candidates.flatMap((rows, group) => {
    if (rows.length === 0) return [];
    rows.sort((a, b) => compareNumbers(scores[a]!, scores[b]!) || a - b);
    return [rows[groupHash(names[group]!) % rows.length]!];
  });
  return Uint32Array.from(drawn);
}

/** Returns the row with the highest score of every group that is wanted. */
export function highestOfGroups(
  { names, codes }: Grouping,
  scores: Float64Array,
  isWanted: (group: number) => boolean,
): Uint32Array {
  const highest = new Int32Array(names.length).fill(-1);
  codes.forEach((group, row) => {
    const best = highest[group]!;
    if (best < 0 || scores[row]! > scores[best]!) highest[group] = row;
  });
  return Uint32Array.from(highest.filter((_, group) => isWanted(group)));
}

/**
 * Returns the hash that decides a group's draw: 32-bit FNV-1a of the UTF-8 text `0:` + group. The 0 is a seed that nobody
 * may choose.
 *
 * @example
 * groupHash('patient 7') // 1864196909
 */
export function groupHash(group: Key): number {
  let hash = 0x811c9dc5;
  for (const byte of utf8(`0:${group}`)) hash = Math.imul(hash ^ byte, 0x01000193);
  return hash >>> 0;
}

/** The bytes of a text; core runs where there may be no TextEncoder type. */
function* utf8(text: string): Generator<number> {
  for (const character of text) {
    const point = character.codePointAt(0)!;
    // Half of a surrogate pair is no character; it is encoded like the replacement character.
    const code = point >= 0xd800 && point <= 0xdfff ? 0xfffd : point;
    if (code < 0x80) yield code;
    else if (code < 0x800) yield* [0xc0 | (code >> 6), 0x80 | (code & 0x3f)];
    else if (code < 0x10000) yield* [0xe0 | (code >> 12), 0x80 | ((code >> 6) & 0x3f), 0x80 | (code & 0x3f)];
    else {
      yield* [0xf0 | (code >> 18), 0x80 | ((code >> 12) & 0x3f)];
      yield* [0x80 | ((code >> 6) & 0x3f), 0x80 | (code & 0x3f)];
    }
  }
}

/** Subtraction would give NaN for two infinite scores. */
function compareNumbers(a: number, b: number): number {
  return a === b ? 0 : a < b ? -1 : 1;
}
