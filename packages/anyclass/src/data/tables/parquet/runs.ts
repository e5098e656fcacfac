// Runs, in which Parquet stores levels and dictionary indices. A run is one value and its repeat count, or
// groups of eight bit-packed values.

import { DataError } from '../../../errors/dataError.js';

/** Statistics of the values in some runs. */
export interface RunValues {
  readonly largest: number;
  /** How many values equal `match`. */
  readonly matches: number;
}

export interface RunOptions {
  /** Bits per value. */
  readonly width: number;
  readonly count: number;
  /** The value to count. */
  readonly match: number;
  /** Receives the values, if given. */
  readonly out?: Uint8Array | undefined;
}

/**
 * Checks the runs of `count` values before they are decoded. The decoder trusts their lengths, so a damaged
 * one would make it write two billion values.
 *
 * @example
 * checkRuns(Uint8Array.of(10, 1), { width: 1, count: 5, match: 1 }) // { largest: 1, matches: 5 }
 */
export function checkRuns(bytes: Uint8Array, { width, count, match, out }: RunOptions): RunValues {
  let at = 0;
  let seen = 0;
  let largest = 0;
  let matches = 0;
  const take = (value: number, times: number) => {
    if (times === 1 && out) out[seen] = value;
    else out?.fill(value, seen, seen + times);
    seen += times;
    if (value > largest) largest = value;
    if (value === match) matches += times;
  };
  while (seen < count || at < bytes.length) {
    const head = varint(bytes, at);
    at = head.end;
    const isPacked = head.value % 2 === 1;
    const length = Math.floor(head.value / 2) * (isPacked ? 8 : 1);
    const left = count - seen;
    // Packed values fill their last group. With a width of 0, the decoder cannot find
    // the end of such a group.
    const isSound = isPacked
      ? length - 8 < left && (length > 0 || left === 0) && (width > 0 || length >= left)
      : length <= left;
    const end = at + (isPacked ? (length / 8) * width : Math.ceil(width / 8));
    if (!isSound || (end > bytes.length && left > 0)) {
      throw new DataError(`a run has ${length} values, but ${left} remain`);
    }
    if (isPacked) unpack(bytes, at, width, Math.min(length, left), take);
    else if (length > 0) take(littleEndian(bytes, at, end), length);
    at = end;
  }
  return { largest, matches };
}

function varint(bytes: Uint8Array, start: number): { readonly value: number; readonly end: number } {
  let value = 0;
  for (let at = start; at < bytes.length && at < start + 5; at++) {
    value += (bytes[at]! & 0x7f) * 2 ** (7 * (at - start));
    if (bytes[at]! < 0x80) return { value, end: at + 1 };
  }
  throw new DataError('its runs end early');
}

function littleEndian(bytes: Uint8Array, start: number, end: number): number {
  let value = 0;
  for (let at = end - 1; at >= start; at--) value = value * 256 + bytes[at]!;
  return value;
}

function unpack(
  bytes: Uint8Array,
  start: number,
  width: number,
  count: number,
  take: (value: number, times: number) => void,
): void {
  const mask = 2 ** width - 1;
  let at = start;
  let bits = 0;
  let held = 0;
  for (let i = 0; i < count; i++) {
    while (held < width) {
      bits += bytes[at++]! * 2 ** held;
      held += 8;
    }
    take(bits & mask, 1);
    bits = Math.floor(bits / 2 ** width);
    held -= width;
  }
}
