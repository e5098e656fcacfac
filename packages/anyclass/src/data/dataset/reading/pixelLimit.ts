import { DataError } from '../../../errors/dataError.js';

/** The most pixels that an image may have: 16,383 x 16,383, which is sharp's default. */
export const defaultPixelLimit = 0x3fff * 0x3fff;

/** An image has more pixels than it may have. */
export class PixelLimitError extends DataError {
  override readonly name: string = 'PixelLimitError';
}

/**
 * Refuses an image that would take too much memory before any is allocated: a damaged
 * header may claim any size.
 */
export function checkPixels(width: number, height: number, limit = defaultPixelLimit): void {
  if (width * height <= limit) return;
  throw new PixelLimitError(
    `${width} x ${height} pixels exceed the pixel limit of ${limit}; raise data.pixelLimit if the image is genuine`,
  );
}
