// Several bootstrap replicates in one pass. A row is rarely drawn more than a few times, so the multiplicities of four replicates fit into
// one 32-bit word, a byte each: reading a row's word, which is what a pass over ranked scores waits for, serves all four.

import type { Multiplicities } from './classCounts.js';

/** How many replicates one word holds. */
export const PACKED_DRAWS = 4;

/** How often each row was drawn in up to four replicates: a byte each. */
export type PackedDraws = Uint32Array;

/** One number for each of the four replicates. */
export type DrawSums = Float64Array;

const LARGEST = 0xff;
const ALTERNATE_BYTES = 0x00ff00ff;
/** So many bytes add up to less than 2^16. */
const STRIDE = 256;

/** Up to four replicates. */
export interface DrawBatch {
  readonly draws: readonly Multiplicities[];
  /** The same, packed; undefined if a row was drawn more than 255 times. */
  readonly packed: PackedDraws | undefined;
}

/**
 * Packs up to four replicates, into `packed` if given.
 *
 * @example
 * packDraws([Uint16Array.of(1, 0), Uint16Array.of(2, 1)]).packed // 0x0201 0x0100
 */
export function packDraws(
  draws: readonly Multiplicities[],
  packed: PackedDraws = new Uint32Array(draws[0]!.length),
): DrawBatch {
  packed.fill(0);
  let all = 0;
  draws.forEach((times, d) => {
    for (let row = 0; row < packed.length; row++) {
      all |= times[row]!;
      packed[row] = packed[row]! | (times[row]! << (8 * d));
    }
  });
  return { draws, packed: all > LARGEST ? undefined : packed };
}

/**
 * Adds to `sums` how often the rows of `entries` from `from` to `to` were drawn; an entry is a row number above `shift` bits.
 *
 * Alternate bytes are added up in the halves of two words, which do not overflow within a stride.
 */
export function addDraws(
  packed: PackedDraws,
  entries: Uint32Array,
  shift: number,
  from: number,
  to: number,
  sums: DrawSums,
): void {
  for (let start = from; start < to; start += STRIDE) {
    const end = Math.min(start + STRIDE, to);
    let even = 0;
    let odd = 0;
    for (let k = start; k < end; k++) {
      const word = packed[entries[k]! >>> shift]!;
      even = (even + (word & ALTERNATE_BYTES)) | 0;
      odd = (odd + ((word >>> 8) & ALTERNATE_BYTES)) | 0;
    }
    sums[0] = sums[0]! + (even & 0xffff);
    sums[1] = sums[1]! + (odd & 0xffff);
    sums[2] = sums[2]! + (even >>> 16);
    sums[3] = sums[3]! + (odd >>> 16);
  }
}

/** Returns how often the given rows were drawn. */
export function drawsOfRows(packed: PackedDraws, rows: Uint32Array): DrawSums {
  const sums = new Float64Array(PACKED_DRAWS);
  addDraws(packed, rows, 0, 0, rows.length, sums);
  return sums;
}
