// Pictures as Node's package prepares all that is not JPEG: shrunk in color by libvips, made gray, then enlarged.

import { type AxisFilter, axisFilter, unchanged } from './axisFilter.js';
import { filterPicture, type Picture } from './filterPicture.js';
import { grayPixels } from './gray.js';
import type { PixelFormat } from './pixelFormat.js';

/**
 * Resizes an RGB picture, step by step as sharp (libvips) and the package `anyclass` do. JPEGs that are
 * far too large are shrunk to means while they are decoded.
 *
 * @example
 * resizeLikeLibvips(rgb, { width: 224, height: 224, channels: 3 })
 */
export function resizeLikeLibvips(
  picture: Picture,
  format: PixelFormat,
  { isJpeg = false }: { readonly isJpeg?: boolean } = {},
): Uint8Array {
  const width = Math.min(picture.width, format.width);
  const height = Math.min(picture.height, format.height);
  const loaded = isJpeg ? jpegMean(Math.min(picture.width / width, picture.height / height)) : 1;
  const filtered = filterPicture(picture, {
    across: shrinking(picture.width, width, loaded),
    down: shrinking(picture.height, height, loaded),
    // Means of a JPEG decoder are rounded once, not along each axis.
    inBytes: loaded === 1,
  });
  const shrunk = Uint8Array.from(filtered, (value) => value + 0.5);
  const pixels = format.channels === 1 ? grayPixels(shrunk) : shrunk;
  return enlarge(
    enlarge(pixels, { width, height }, format, 'across'),
    { width: format.width, height },
    format,
    'down',
  );
}

/** Means are taken as long as the result is still twice as large as it is wanted. */
function shrinking(pixels: number, wanted: number, loaded: number): AxisFilter {
  if (pixels === wanted) return unchanged(pixels);
  // What is left over of a JPEG is dropped.
  const means = Math.floor(pixels / loaded);
  const mean = Math.max(1, Math.floor(means / wanted / 2));
  return axisFilter(pixels, wanted, { mean: loaded * mean, extent: means / mean, likeLibvips: true });
}

/** sharp asks libjpeg for means of 2, 4 or 8, of one less where libjpeg's rounding could show. */
function jpegMean(shrink: number): number {
  const mean = [8, 4, 2].find((count) => shrink >= 2 * count) ?? 1;
  return mean > 1 && Math.floor(shrink) === mean ? mean / 2 : mean;
}

function enlarge(
  pixels: Uint8Array,
  { width, height }: { readonly width: number; readonly height: number },
  format: PixelFormat,
  axis: 'across' | 'down',
): Uint8Array {
  const [across, down] = axis === 'across' ? [format.width, height] : [width, format.height];
  if (across === width && down === height) return pixels;
  return Uint8Array.from(
    filterPicture(
      { width, height, channels: format.channels, strips: [pixels] },
      {
        across: across === width ? unchanged(width) : axisFilter(width, across),
        down: down === height ? unchanged(height) : axisFilter(height, down),
        inBytes: true,
      },
    ),
  );
}
