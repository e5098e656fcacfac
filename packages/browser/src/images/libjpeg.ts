// JPEGs as Node's package prepares them: each plane is resized by itself, and only what is left becomes RGB.

import { axisFilter } from './axisFilter.js';
import { filterPicture, type Picture } from './filterPicture.js';
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
 * Resizes the planes of a JPEG and gives gray or RGB, with as many channels as the JPEG has.
 *
 * libjpeg decodes at an eighth, a quarter or half the size where that is still twice as large as wanted: means of its pixels.
 *
 * @example
 * resizeJpeg({ width: 640, height: 480, planes: [luma, blue, red] }, { width: 224, height: 224 })
 */
export function resizeJpeg(
  { width, height, planes }: JpegPicture,
  wanted: Pick<PixelFormat, 'width' | 'height'>,
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
  const [luma, blue, red] = resized;
  return blue && red ? rgbOf(luma!, blue, red) : Uint8Array.from(luma!, (value) => value + 0.5);
}

/**
 * The RGB picture of a JPEG that libjpeg decodes whole (part 1), or to a half, a quarter or an eighth of its width and height, plane by
 * plane; what is left over at the edges is dropped.
 *
 * libjpeg has the means before they are rounded, a browser gives pixels: here and there a level differs.
 *
 * @example
 * partOfJpeg({ width: 641, height: 480, planes: [luma, blue, red] }, 2).width // 320
 */
export function partOfJpeg({ width, height, planes }: JpegPicture, part: number): Picture {
  const size = { width: Math.floor(width / part), height: Math.floor(height / part) };
  const filter = (pixels: number, wanted: number, pixelsPerSample: 1 | 2) =>
    axisFilter(pixels, wanted, { mean: part, extent: wanted, pixelsPerSample });
  const means = planes.map((plane) =>
    filterPicture(plane, {
      across: filter(width, size.width, plane.pixelsPerSample.across),
      down: filter(height, size.height, plane.pixelsPerSample.down),
      inBytes: false,
    }).map(roundedToEven),
  );
  const [luma, blue, red] = means;
  return { ...size, channels: 3, strips: [rgbOf(luma!, blue!, red!)] };
}

/** Means of a few bytes often lie halfway between two: always rounded up, they would be too large on average. */
function roundedToEven(value: number): number {
  const rounded = Math.round(value);
  return rounded - value === 0.5 && rounded % 2 === 1 ? rounded - 1 : rounded;
}

/** JFIF (ITU-T T.871). */
function rgbOf(luma: Float32Array, blue: Float32Array, red: Float32Array): Uint8Array {
  const out = new Uint8ClampedArray(3 * luma.length);
  for (let i = 0; i < luma.length; i++) {
    const [y, cb, cr] = [luma[i]!, blue[i]! - 128, red[i]! - 128];
    out[3 * i] = y + 1.402 * cr;
    out[3 * i + 1] = y - 0.344136 * cb - 0.714136 * cr;
    out[3 * i + 2] = y + 1.772 * cb;
  }
  return new Uint8Array(out.buffer);
}
