// Runs, in which Parquet stores levels and dictionary indices. A run is one value and its repeat count, or
// groups of eight bit-packed values.

import { DataError } from '../../../errors/dataError.js';
import { unpackBits, varint } from './packedBits.js';

/** Statistics of the values in some runs. */
export interface RunValues {
  readonly largest: number;
  /** How many values equal `match`. */
  readonly matches: number;
}

export interface RunOptions {
  /** Bits per value, 24 at most. */
  readonly width: number;
  readonly count: number;
  /** The value to count. */
  readonly match: number;
  /** Receives the values, if given. */
  readonly out?: Uint8Array | Int32Array | undefined;
}

/**
 * Reads the runs of `count` values. A run may not be longer than the values that remain: a damaged length could
 * ask for two billion.
 *
 * @example
 * readRuns(Uint8Array.of(10, 1), { width: 1, count: 5, match: 1 }) // { largest: 1, matches: 5 }
 */
export function readRuns(bytes: Uint8Array, { width, count, match, out }: RunOptions): RunValues {
  let at = 0;
  let seen = 0;
  let largest = 0;
  let matches = 0;
  const takeOne = (value: number) => {
    if (out) out[seen] = value;
    seen += 1;
    if (value > largest) largest = value;
    if (value === match) matches += 1;
  };
  while (seen < count || at < bytes.length) {
    const head = varint(bytes, at);
    at = head.end;
    const isPacked = head.value % 2 === 1;
    const length = Math.floor(head.value / 2) * (isPacked ? 8 : 1);
    const left = count - seen;
    // Packed values fill their last group. With a width of 0, hyparquet cannot find the end of such a group.
    const isSound = isPacked
      ? length - 8 < left && (length > 0 || left === 0) && (width > 0 || length >= left)
      : length <= left;
    const end = at + (isPacked ? (length / 8) * width : Math.ceil(width / 8));
    if (!isSound || (end > bytes.length && left > 0)) {
      throw new DataError(`a run has ${length} values, but ${left} remain`);
    }
    if (isPacked) unpackBits(bytes, at, width, Math.min(length, left), takeOne);
    else if (length > 0) {
      const value = littleEndian(bytes, at, end);
      out?.fill(value, seen, seen + length);
      seen += length;
      largest = Math.max(largest, value);
      if (value === match) matches += length;
    }
    at = end;
  }
  return { largest, matches };
}

function littleEndian(bytes: Uint8Array, start: number, end: number): number {
  let value = 0;
  for (let at = end - 1; at >= start; at--) value = value * 256 + bytes[at]!;
  return value;
}
