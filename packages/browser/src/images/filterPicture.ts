// Applies the filters of both axes to a picture. Only a strip has to be in memory, since rows are summed as they arrive.

import type { AxisFilter } from './axisFilter.js';

/** Samples in rows from the top, with a pixel's channels interleaved. */
export interface Picture {
  readonly width: number;
  readonly height: number;
  /** Samples per pixel. */
  readonly channels: number;
  /** Whole rows, several at a time. */
  readonly strips: Iterable<Uint8Array | Uint8ClampedArray>;
}

export interface PictureFilter {
  readonly across: AxisFilter;
  readonly down: AxisFilter;
  /** Whether every step rounds to bytes, as in libvips; otherwise nothing is rounded. */
  readonly inBytes: boolean;
}

/**
 * Filters columns, then rows. The result has as many channels as the picture.
 *
 * @example
 * filterPicture(picture, { across: axisFilter(640, 224), down: axisFilter(480, 224), inBytes: false })
 */
export function filterPicture(picture: Picture, { across, down, inBytes }: PictureFilter): Float32Array {
  const rowLength = picture.width * picture.channels;
  const columns = createSums(down, rowLength, inBytes);
  for (const strip of picture.strips) {
    for (let at = 0; at < strip.length; at += rowLength) columns.add(strip.subarray(at, at + rowLength));
  }
  const combined = columns.finish();
  const rows = down.weights.length;
  const { channels } = picture;
  const out = new Float32Array(rows * across.weights.length * channels);
  for (let y = 0; y < rows; y++) {
    const pixels = createSums(across, channels, inBytes);
    for (let at = y * rowLength; at < (y + 1) * rowLength; at += channels)
      pixels.add(combined.subarray(at, at + channels));
    out.set(pixels.finish(), y * across.weights.length * channels);
  }
  return out;
}

/** Takes rows of numbers one after another and accumulates the filter's output. */
function createSums({ mean, first, weights }: AxisFilter, length: number, inBytes: boolean) {
  const wanted = weights.length;
  const sums = new Float32Array(wanted * length);
  const gathered = new Float32Array(mean > 1 ? length : 0);
  let [count, meansTaken, oldest] = [0, 0, 0];

  const addMean = (row: ArrayLike<number>) => {
    for (let i = oldest; i < wanted && first[i]! <= meansTaken; i++) {
      const weight = weights[i]![meansTaken - first[i]!];
      if (weight === undefined) continue;
      const start = i * length;
      for (let k = 0; k < length; k++) sums[start + k]! += weight * row[k]!;
    }
    meansTaken++;
    while (oldest < wanted && meansTaken >= first[oldest]! + weights[oldest]!.length) oldest++;
  };
  const gather = (row: ArrayLike<number>) => {
    for (let k = 0; k < length; k++) gathered[k]! += row[k]!;
    if (++count < mean) return;
    addMean(inBytes ? gathered.map((sum) => libvipsMean(sum, mean)) : gathered.map((sum) => sum / mean));
    gathered.fill(0);
    count = 0;
  };
  let last: ArrayLike<number> = [];
  return {
    add(row: Uint8Array | Uint8ClampedArray | Float32Array) {
      if (mean === 1) addMean(row);
      else gather(row);
      last = row;
    },
    finish(): Float32Array {
      while (count > 0) gather(last); // the last mean is completed by repeating the last row
      return inBytes ? sums.map((sum) => Math.floor(sum + 0.5)) : sums;
    },
  };
}

/** libvips truncates its factor instead of rounding it, so some means, for example of 3 pixels, come out one too small. */
function libvipsMean(sum: number, count: number): number {
  return Math.floor(((sum + Math.floor(count / 2)) * Math.floor(2 ** 24 / count)) / 2 ** 24);
}
