import type { InputBatch } from '../../data/batches/deviceBatch.js';
import type { PixelFormat } from '../../data/dataset/reading/pixelFormat.js';

export interface Normalization {
  readonly format: PixelFormat;
  /** Per channel of the images, or one for all. */
  readonly mean: readonly number[];
  readonly std: readonly number[];
}

/**
 * Converts images for a network without libtorch: bytes [N, H, W, C] to float32 [N, 3, H, W], each (byte /
 * 255 - mean) / std in the arithmetic of native/augment. Gray images are repeated on three channels.
 *
 * @example
 * const format = { width: 2, height: 1, channels: 1 } as const;
 * normalizeImages({ size: 1, inputs: Uint8Array.of(0, 51) }, { format, mean: [0.1], std: [0.5] }) // -0.2, 0.2, three times
 */
export function normalizeImages(
  { size, inputs: images }: InputBatch,
  { format, mean, std }: Normalization,
): Float32Array {
  const { width, height, channels } = format;
  const pixels = width * height;
  const tables = Array.from({ length: 3 }, (_, c) => table(mean, std, c % channels));
  const out = new Float32Array(size * 3 * pixels);
  for (let image = 0; image < size; image++) {
    for (const [c, values] of tables.entries()) {
      const plane = out.subarray((image * 3 + c) * pixels, (image * 3 + c + 1) * pixels);
      let at = image * pixels * channels + (c % channels);
      for (let i = 0; i < pixels; i++, at += channels) plane[i] = values[images[at]!]!;
    }
  }
  return out;
}

/** The normalized value of each byte. */
function table(mean: readonly number[], std: readonly number[], channel: number): Float32Array {
  const deviation = std[channel] ?? std[0]!;
  const scale = Math.fround(1 / deviation);
  const offset = Math.fround((mean[channel] ?? mean[0]!) / deviation);
  const step = Math.fround(1 / 255);
  return Float32Array.from(
    { length: 256 },
    (_, byte) => Math.fround(Math.fround(byte * step) * scale) - offset,
  );
}
