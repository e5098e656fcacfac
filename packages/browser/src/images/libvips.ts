// Resizes pictures as Node's package does for everything except JPEGs: shrinks in color like libvips, converts to gray,
// then enlarges.

import { type AxisFilter, axisFilter, unchanged } from './axisFilter.js';
import { filterPicture, type Picture } from './filterPicture.js';
import { grayPixels } from './gray.js';
import type { PixelFormat } from './pixelFormat.js';

/**
 * Resizes an RGB picture, step by step as sharp (libvips) and the package `anyclass` do.
 *
 * @example
 * resizeLikeLibvips(rgb, { width: 224, height: 224, channels: 3 })
 */
export function resizeLikeLibvips(picture: Picture, format: PixelFormat): Uint8Array {
  const width = Math.min(picture.width, format.width);
  const height = Math.min(picture.height, format.height);
  const shrunk = Uint8Array.from(
    filterPicture(picture, {
      across: shrinking(picture.width, width),
      down: shrinking(picture.height, height),
      inBytes: true,
    }),
  );
  const pixels = format.channels === 1 ? grayPixels(shrunk) : shrunk;
  return enlarge(
    enlarge(pixels, { width, height }, format, 'across'),
    { width: format.width, height },
    format,
    'down',
  );
}

/** Means are taken as long as the result is still at least twice as large as wanted. */
function shrinking(pixels: number, wanted: number): AxisFilter {
  if (pixels === wanted) return unchanged(pixels);
  const mean = Math.max(1, Math.floor(pixels / wanted / 2));
  return axisFilter(pixels, wanted, { mean, extent: pixels / mean, likeLibvips: true });
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
