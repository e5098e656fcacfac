// JPEGs as Node's package prepares them: each plane is resized by itself, and only what is left becomes RGB or gray.

import { axisFilter } from './axisFilter.js';
import { filterPicture, type Picture } from './filterPicture.js';
import { grayPixels } from './gray.js';
import type { PixelFormat } from './pixelFormat.js';

/** A plane, or interleaved ones, of a picture that may hold fewer samples than the picture has pixels. */
export interface Plane extends Picture {
  readonly pixelsPerSample: { readonly across: 1 | 2; readonly down: 1 | 2 };
}

export interface JpegPicture {
  readonly width: number;
  readonly height: number;
  /** One of gray or RGB, or three of luma, blue and red. */
  readonly planes: readonly Plane[];
}

/**
 * Resizes the planes of a JPEG and gives gray or RGB; a gray JPEG stays gray.
 *
 * libjpeg decodes at an eighth, a quarter or half the size where that is still twice as large as wanted: means of its pixels.
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
  // Before it is rounded: where colors are strong, the gray of a rounded one can be two levels off.
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
