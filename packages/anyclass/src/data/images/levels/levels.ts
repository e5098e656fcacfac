// Images with more than 8 bits per channel: their levels, and how a window maps them to bytes.

import { type Window, windowPercentiles } from '../../dataset/reading/window.js';

/** An image with the levels of its file. */
export interface Levels {
  readonly width: number;
  readonly height: number;
  readonly channels: 1 | 3;
  /** The stored values, channels interleaved. */
  readonly values: StoredValues;
  /** The level of a stored value is slope · value + intercept; in CT, Hounsfield units. */
  readonly slope: number;
  readonly intercept: number;
  /** The file's own mapping of levels to brightness, from 0 to 1. */
  readonly ownWindow?: ((level: number) => number) | undefined;
  /** Whether the lowest level is white. */
  readonly isInverted?: boolean;
  /** Stored values that mean 'nothing here' and do not count in statistics. */
  readonly padding?: readonly [low: number, high: number] | undefined;
}

export type StoredValues = Uint8Array | Uint16Array | Int16Array | Uint32Array | Int32Array | Float32Array;

/**
 * Applies a window to get an 8-bit image. NaN is black, and so is an image of a single level.
 *
 * @example
 * windowed({ width: 3, height: 1, channels: 1, values: Uint16Array.of(0, 2048, 4095), slope: 1, intercept: 0 }, [0, 4095])
 * // 0, 128, 255
 */
export function windowed(levels: Levels, window: Window): Uint8Array {
  const { values, slope, intercept, isInverted = false } = levels;
  const share = (window === 'auto' ? levels.ownWindow : undefined) ?? linear(limits(levels, window));
  const toByte = (value: number) => {
    const level = slope * value + intercept;
    if (Number.isNaN(level)) return 0;
    const shown = Math.min(1, Math.max(0, share(level)));
    return Math.round(255 * (isInverted ? 1 - shown : shown));
  };
  if (isTabled(values)) return lookedUp(values, tableOf(values, toByte));
  return Uint8Array.from(values, toByte);
}

/**
 * The levels at two percentiles, ignoring padding: the greatest level not above the lower percentile, and the
 * smallest not below the upper one (NumPy's methods `lower` and `higher`). Undefined if no pixel has a level.
 *
 * @example
 * percentileLevels(levels, [0, 100]) // the smallest and the largest
 */
export function percentileLevels(
  levels: Levels,
  [low, high]: readonly [number, number],
): [low: number, high: number] | undefined {
  const { slope, intercept } = levels;
  const at = orderStatistics(levels);
  if (at === undefined) return undefined;
  // A negative slope reverses the order.
  const [first, last] = slope < 0 ? [100 - high, 100 - low] : [low, high];
  const ends = [at(first, Math.floor), at(last, Math.ceil)].map((value) => slope * value + intercept);
  return [Math.min(...ends), Math.max(...ends)];
}

function limits(levels: Levels, window: Window): readonly [number, number] {
  const percentiles = windowPercentiles(window);
  if (percentiles) return percentileLevels(levels, percentiles) ?? [0, 0];
  if (typeof window === 'string' || 'percentiles' in window) throw new Error('a window without limits');
  return window;
}

function linear([low, high]: readonly [number, number]): (level: number) => number {
  const span = high - low;
  return span > 0 ? (level) => (level - low) / span : () => 0;
}

/** Whether values have at most 16 bits, so that a table of all values is faster than computing each pixel. */
function isTabled(values: StoredValues): values is Uint8Array | Uint16Array | Int16Array {
  return values.BYTES_PER_ELEMENT <= 2;
}

/** Looks up each value. For 16 bits, the array type is always the same, which halves the time. */
function lookedUp(values: Uint8Array | Uint16Array | Int16Array, table: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(values.length);
  if (values instanceof Uint8Array) {
    for (let i = 0; i < bytes.length; i++) bytes[i] = table[values[i]!]!;
    return bytes;
  }
  const unsigned = new Uint16Array(values.buffer, values.byteOffset, values.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = table[unsigned[i]!]!;
  return bytes;
}

/** The bytes of all possible values. Negative values come after the others, as their lower 16 bits do. */
function tableOf(values: StoredValues, toByte: (value: number) => number): Uint8Array {
  const isSigned = values instanceof Int16Array;
  const table = new Uint8Array(values.BYTES_PER_ELEMENT === 1 ? 0x100 : 0x10000);
  for (let i = 0; i < table.length; i++) table[i] = toByte(isSigned && i >= 0x8000 ? i - 0x10000 : i);
  return table;
}

/** Returns a function for the stored value at a percentile, with the rank rounded by `round`. */
function orderStatistics({
  values,
  padding,
}: Levels): ((percentile: number, round: (rank: number) => number) => number) | undefined {
  const isPadding = (value: number) => padding !== undefined && value >= padding[0] && value <= padding[1];
  if (!isTabled(values)) {
    const sorted = values.filter((value) => Number.isFinite(value) && !isPadding(value)).sort();
    if (sorted.length === 0) return undefined;
    return (percentile, round) => sorted[round((percentile / 100) * (sorted.length - 1))]!;
  }
  const lowest = values instanceof Int16Array ? -0x8000 : 0;
  const counts = new Uint32Array(0x10000);
  for (let i = 0; i < values.length; i++) {
    const at = values[i]! - lowest;
    counts[at] = counts[at]! + 1;
  }
  if (padding) {
    const from = Math.max(0, Math.ceil(padding[0]) - lowest);
    counts.fill(0, from, Math.max(from, Math.floor(padding[1]) - lowest + 1));
  }
  let total = 0;
  for (const count of counts) total += count;
  if (total === 0) return undefined;
  return (percentile, round) => {
    let rank = round((percentile / 100) * (total - 1));
    let at = 0;
    while (rank >= counts[at]!) rank -= counts[at++]!;
    return at + lowest;
  };
}
