import type { PixelFormat } from '../../dataset/reading/pixelFormat.js';

/**
 * Enlarges 8-bit pixels, bilinear between pixel centers, with repeated edges. Like Pillow, it
 * stretches rows and then columns, rounding each time. libvips enlarges from the corner, which shifts
 * the image by up to half a pixel.
 *
 * @example
 * enlarge(Uint8Array.of(0, 10), 2, 1, { width: 4, height: 1, channels: 1 }) // 0, 3, 8, 10
 */
export function enlarge(pixels: Uint8Array, width: number, height: number, format: PixelFormat): Uint8Array {
  const { channels } = format;
  const wide = width === format.width ? pixels : stretch(pixels, height, width, format.width, channels);
  return height === format.height ? wide : stretch(wide, 1, height, format.height, format.width * channels);
}

/** Stretches the middle dimension of [outer, length, inner]. */
function stretch(values: Uint8Array, outer: number, from: number, to: number, inner: number): Uint8Array {
  const out = new Uint8Array(outer * to * inner);
  for (let t = 0; t < to; t++) {
    const position = Math.min(from - 1, Math.max(0, ((t + 0.5) * from) / to - 0.5));
    const before = Math.floor(position);
    const after = Math.min(from - 1, before + 1);
    const weight = position - before;
    for (let o = 0; o < outer; o++) {
      const a = (o * from + before) * inner;
      const b = (o * from + after) * inner;
      const at = (o * to + t) * inner;
      for (let i = 0; i < inner; i++) {
        const start = values[a + i]!;
        out[at + i] = start + (values[b + i]! - start) * weight + 0.5;
      }
    }
  }
  return out;
}
