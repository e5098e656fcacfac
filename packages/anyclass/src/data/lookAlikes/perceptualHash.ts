// A 256-bit perceptual hash: which low frequencies of an image are above their median. Zauner,
// "Implementation and Benchmarking of Perceptual Image Hash Functions", 2010, but with 16 x 16 frequencies
// instead of 8 x 8: chest X-rays are so similar that with 64 bits, unrelated ones pass for copies.

import type { PixelFormat } from '../dataset/reading/pixelFormat.js';

/**
 * 16 words of 16 bits. The frequencies are spread over all words, so that no word is
 * the same for most images.
 */
export type PerceptualHash = Uint16Array;

export const HASH_WORDS = 16;

/** With less contrast, an image has no meaningful frequencies and matches any other single-color image. */
const leastDeviation = 2;
const side = 32;
const kept = 16;

// cosines[k * side + n]: the basis of frequency k + 1. Frequency 0 is brightness, in which copies may differ.
const cosines = Float64Array.from({ length: kept * side }, (_, i) =>
  Math.cos((Math.PI / side) * ((i % side) + 0.5) * (Math.floor(i / side) + 1)),
);

/**
 * The hash of a decoded image; undefined if it is nearly a single color. Copies that were re-encoded,
 * resized, brightened, or blurred differ in a few of the 256 bits; different images differ in about half.
 *
 * @example
 * perceptualHash(pixels, { width: 224, height: 224, channels: 3 })?.length // 16
 */
export function perceptualHash(pixels: Uint8Array, format: PixelFormat): PerceptualHash | undefined {
  const small = shrunk(pixels, format);
  if (deviation(small) < leastDeviation) return undefined;
  const frequencies = lowFrequencies(small);
  const median = frequencies.slice().sort()[frequencies.length / 2]!;
  const hash = new Uint16Array(HASH_WORDS);
  frequencies.forEach((value, i) => {
    if (value > median) hash[i % HASH_WORDS] = hash[i % HASH_WORDS]! | (1 << Math.floor(i / HASH_WORDS));
  });
  return hash;
}

/** The mean brightness of each of 32 x 32 cells. */
function shrunk(pixels: Uint8Array, { width, height, channels }: PixelFormat): Float64Array {
  const sums = new Float64Array(side * side);
  const columns = Int32Array.from({ length: side + 1 }, (_, x) => Math.floor((x * width) / side));
  for (let cellY = 0; cellY < side; cellY++) {
    const top = Math.floor((cellY * height) / side);
    const bottom = Math.max(top + 1, Math.floor(((cellY + 1) * height) / side));
    for (let cellX = 0; cellX < side; cellX++) {
      const left = columns[cellX]!;
      const right = Math.max(left + 1, columns[cellX + 1]!);
      let sum = 0;
      for (let y = top; y < bottom; y++) {
        const end = (y * width + right) * channels;
        for (let i = (y * width + left) * channels; i < end; i += channels) {
          sum +=
            channels === 1 ? 256 * pixels[i]! : 77 * pixels[i]! + 150 * pixels[i + 1]! + 29 * pixels[i + 2]!;
        }
      }
      sums[cellY * side + cellX] = sum / (256 * (bottom - top) * (right - left));
    }
  }
  return sums;
}

/** The discrete cosine transform at frequencies 1 to 16 in both directions. */
function lowFrequencies(small: Float64Array): Float64Array {
  const rows = new Float64Array(side * kept);
  for (let y = 0; y < side; y++) {
    for (let k = 0; k < kept; k++) {
      let sum = 0;
      for (let x = 0; x < side; x++) sum += small[y * side + x]! * cosines[k * side + x]!;
      rows[k * side + y] = sum;
    }
  }
  const frequencies = new Float64Array(kept * kept);
  for (let k = 0; k < kept; k++) {
    for (let j = 0; j < kept; j++) {
      let sum = 0;
      for (let y = 0; y < side; y++) sum += rows[j * side + y]! * cosines[k * side + y]!;
      frequencies[k * kept + j] = sum;
    }
  }
  return frequencies;
}

function deviation(values: Float64Array): number {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length);
}
