import { DataError } from '../../errors/dataError.js';

/** The most pixels that an image may have: 16,383 x 16,383, as sharp has it. */
export const defaultPixelLimit = 0x3fff * 0x3fff;

/** Refuses what would take too much memory before any is taken: a damaged header may ask for anything. */
export function checkPixels(width: number, height: number, limit = defaultPixelLimit): void {
  if (width * height <= limit) return;
  throw new DataError(
    `${width} x ${height} pixels exceed the pixel limit of ${limit}; raise data.pixelLimit if the image is genuine`,
  );
}
