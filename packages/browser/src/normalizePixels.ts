import type { Preprocessing } from './exportedModel.js';

/**
 * Converts pixels to the network's input: bytes [H, W, C] to float32 [3, H, W], each (byte / 255 - mean) / std, with the
 * same float32 steps as Node's package. Gray is copied to all three channels.
 *
 * @example
 * normalizePixels(Uint8Array.of(0, 51), { ...preprocessing, width: 2, height: 1, channels: 1, mean: [0.1], std: [0.5] })
 * // -0.2, 0.2 three times
 */
export function normalizePixels(
  pixels: Uint8Array,
  { channels, mean, std }: Pick<Preprocessing, 'channels' | 'mean' | 'std'>,
): Float32Array<ArrayBuffer> {
  const planeLength = pixels.length / channels;
  const out = new Float32Array(3 * planeLength);
  for (let plane = 0; plane < 3; plane++) {
    const channel = plane % channels;
    const deviation = std[channel] ?? std[0]!;
    const scale = Math.fround(1 / deviation);
    const offset = Math.fround((mean[channel] ?? mean[0]!) / deviation);
    const step = Math.fround(1 / 255);
    const start = plane * planeLength;
    for (let i = 0; i < planeLength; i++) {
      const value = Math.fround(Math.fround(pixels[i * channels + channel]! * step) * scale);
      out[start + i] = value - offset;
    }
  }
  return out;
}
