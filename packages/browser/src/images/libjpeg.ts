// Resizes JPEGs as Node's package does: each plane is resized separately, and only the result becomes RGB or gray.

import { axisFilter } from './axisFilter.js';
import { filterPicture, type Picture } from './filterPicture.js';
import { grayPixels } from './gray.js';
import type { PixelFormat } from './pixelFormat.js';

/** One plane, or several interleaved, which may have fewer samples than the picture has pixels. */
export interface Plane extends Picture {
  readonly pixelsPerSample: { readonly across: 1 | 2; readonly down: 1 | 2 };
}

export interface JpegPicture {
  readonly width: number;
  readonly height: number;
  /** One plane of gray or RGB, or three of luma, blue and red. */
  readonly planes: readonly Plane[];
}

/**
 * Resizes the planes of a JPEG and returns gray or RGB; a gray JPEG stays gray.
 *
 * libjpeg decodes at an eighth, a quarter or half the size, by taking means of pixels, if the result is still at least
 * twice as large as wanted.
 *
 * @example
 * resizeJpeg({ width: 640, height: 480, planes: [luma, blue, red] }, { width: 224, height: 224, channels: 3 })
 */
export function resizeJpeg(
  { width, height, planes }: JpegPicture,
  { channels, ...wanted }: PixelFormat,
): Uint8Array {
  const shrink = Math.min(width / wanted.width, height / wanted.height);
  const mean = [8, 4, 2].find((count) => shrink >= 2 * count) ?? 1;
  const resized = planes.map((plane) => {
    const { across, down } = plane.pixelsPerSample;
    return filterPicture(plane, {
      across: axisFilter(width, wanted.width, { mean, pixelsPerSample: across }),
      down: axisFilter(height, wanted.height, { mean, pixelsPerSample: down }),
      inBytes: false,
    });
  });
  const [first, blue, red] = resized;
  const isGray = planes.length === 1 && planes[0]!.channels === 1;
  const values = blue && red ? rgbOf(first!, blue, red) : first!;
  // Gray is computed before rounding: with strong colors, rounding first can make it two levels off.
  if (channels === 1 && !isGray) return grayPixels(values);
  return Uint8Array.from(values, (value) => value + 0.5);
}

/** JFIF (ITU-T T.871). */
function rgbOf(luma: Float32Array, blue: Float32Array, red: Float32Array): Float32Array {
  const out = new Float32Array(3 * luma.length);
  const within = (value: number) => Math.min(255, Math.max(0, value));
  for (let i = 0; i < luma.length; i++) {
    const [y, cb, cr] = [luma[i]!, blue[i]! - 128, red[i]! - 128];
    out[3 * i] = within(y + 1.402 * cr);
    out[3 * i + 1] = within(y - 0.344136 * cb - 0.714136 * cr);
    out[3 * i + 2] = within(y + 1.772 * cb);
  }
  return out;
}
