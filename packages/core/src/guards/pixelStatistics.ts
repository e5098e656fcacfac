/** What a glance at an image tells, as shares of the full range. */
export interface PixelStatistics {
  /** The mean of all pixels. */
  readonly brightness: number;
  /** Their standard deviation. */
  readonly contrast: number;
  /** The share of pixels at the upper end of the range. */
  readonly overexposed: number;
  /** The mean difference between the largest and the smallest channel of a pixel; null for one channel. */
  readonly color: number | null;
}

/** Pixels from here on are taken as overexposed. */
const UPPER_END = 250;

/**
 * Measures an image as a network gets it: 8 bits, channels interleaved.
 *
 * @example
 * pixelStatistics(new Uint8Array([0, 0, 0, 255, 255, 255]), 3) // { brightness: 0.5, contrast: 0.5, overexposed: 0.5, color: 0 }
 */
export function pixelStatistics(pixels: ArrayLike<number>, channels: number): PixelStatistics {
  const count = pixels.length / channels;
  let [sum, squares, upper, spread] = [0, 0, 0, 0];
  for (let at = 0; at < pixels.length; at += channels) {
    let [least, most, total] = [255, 0, 0];
    for (let c = 0; c < channels; c++) {
      const value = pixels[at + c]!;
      total += value;
      if (value < least) least = value;
      if (value > most) most = value;
    }
    const level = total / channels;
    sum += level;
    squares += level * level;
    if (level >= UPPER_END) upper++;
    spread += most - least;
  }
  const mean = sum / count;
  return {
    brightness: mean / 255,
    contrast: Math.sqrt(Math.max(0, squares / count - mean * mean)) / 255,
    overexposed: upper / count,
    color: channels === 1 ? null : spread / count / 255,
  };
}
