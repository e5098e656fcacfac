import { disjointSets } from './disjointSets.js';
import type { DuplicateGroups } from './duplicates.js';
import { HASH_WORDS, type PerceptualHash } from './perceptualHash.js';

/** Collects perceptual hashes, 32 bytes per row. */
export interface NearDuplicateFinder {
  add(row: number, hash: PerceptualHash | undefined): void;
  /** Sets of rows whose images look alike, each in ascending order. */
  sets(): DuplicateGroups;
}

/**
 * The number of bits that may differ. Among 3 million pairs of chest X-rays from different examinations, none
 * differed in fewer than 40. Of 200 copies each that were re-encoded at quality 50, brightened, or blurred,
 * 99% differed in at most 20.
 */
export const nearDistance = 24;

/**
 * How many images of a set are compared with others; otherwise, all frames of a video
 * would be compared in pairs.
 */
const mostCompared = 8;

/**
 * Finds images that look alike. If two hashes differ in at most 31 of 256 bits, then some of their 16 words
 * differ in at most one bit (Norouzi et al., "Fast Search in Hamming Space with Multi-Index Hashing", CVPR
 * 2012). A table per word therefore finds all matches without comparing every pair.
 *
 * @example
 * const finder = nearDuplicateFinder(3);
 * finder.add(0, hash); finder.add(1, otherHash); finder.add(2, hash);
 * finder.sets() // [[0, 2]]
 */
export function nearDuplicateFinder(rows: number): NearDuplicateFinder {
  const hashes = new Uint16Array(rows * HASH_WORDS);
  const isHashed = new Uint8Array(rows);
  return {
    add(row, hash) {
      if (hash === undefined) return;
      hashes.set(hash, row * HASH_WORDS);
      isHashed[row] = 1;
    },
    sets() {
      const sets = disjointSets(rows);
      const index = wordIndex(hashes, rows);
      const compared = new Uint8Array(rows);
      for (let row = 0; row < rows; row++) {
        if (isHashed[row] === 0) continue;
        index.forEachCandidate(row, (other) => {
          if (distance(hashes, row, other) <= nearDistance) sets.join(row, other);
        });
        const set = sets.find(row);
        if (compared[set] === mostCompared) continue;
        compared[set] = compared[set]! + 1;
        index.add(row);
      }
      return sets.larger();
    },
  };
}

/** One table per word position: the rows that have each value. */
function wordIndex(hashes: Uint16Array, rows: number) {
  const heads = new Int32Array(HASH_WORDS * 65536).fill(-1);
  const next = new Int32Array(HASH_WORDS * rows);
  const seenBy = new Int32Array(rows).fill(-1);
  return {
    add(row: number): void {
      for (let word = 0; word < HASH_WORDS; word++) {
        const slot = word * 65536 + hashes[row * HASH_WORDS + word]!;
        next[word * rows + row] = heads[slot]!;
        heads[slot] = row;
      }
    },
    /** Visits every row with a word that differs in at most one bit, each row once. */
    forEachCandidate(row: number, visit: (other: number) => void): void {
      for (let word = 0; word < HASH_WORDS; word++) {
        const own = hashes[row * HASH_WORDS + word]!;
        for (let bit = -1; bit < 16; bit++) {
          const value = bit < 0 ? own : own ^ (1 << bit);
          for (let other = heads[word * 65536 + value]!; other >= 0; other = next[word * rows + other]!) {
            if (seenBy[other] === row) continue;
            seenBy[other] = row;
            visit(other);
          }
        }
      }
    },
  };
}

function distance(hashes: Uint16Array, a: number, b: number): number {
  let bits = 0;
  for (let word = 0; word < HASH_WORDS && bits <= nearDistance; word++) {
    let differing = hashes[a * HASH_WORDS + word]! ^ hashes[b * HASH_WORDS + word]!;
    differing -= (differing >>> 1) & 0x5555;
    differing = (differing & 0x3333) + ((differing >>> 2) & 0x3333);
    differing = (differing + (differing >>> 4)) & 0x0f0f;
    bits += (differing + (differing >>> 8)) & 0x1f;
  }
  return bits;
}
