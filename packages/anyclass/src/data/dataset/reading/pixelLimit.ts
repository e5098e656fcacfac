import { DataError } from '../../../errors/dataError.js';

/** The most pixels that an image may have: 16,383 x 16,383, which is sharp's default. */
export const defaultPixelLimit = 0x3fff * 0x3fff;

/**
 * Refuses an image that would take too much memory before any is allocated: a damaged
 * header may claim any size.
 */
export function checkPixels(width: number, height: number, limit = defaultPixelLimit): void {
  if (width * height <= limit) return;
  throw new DataError(
    `${width} x ${height} pixels exceed the pixel limit of ${limit}; raise data.pixelLimit if the image is genuine`,
  );
}
