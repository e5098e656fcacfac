// Batches of large images have fewer of them, so that memory depends on the batch's pixels and not on the images' size.

import { type InputFormat, isFeatureFormat } from '../dataset/inputs.js';

/** Most pixels of a batch: 64 images of 512 px, or 4 of 2048 px, whose floats take 200 MB. */
export const batchPixels = 2 ** 24;

/**
 * How many instances a batch has: as many as wanted, unless images are so large that fewer fit.
 *
 * @example
 * batchWithin(64, { width: 224, height: 224, channels: 3 }) // 64
 * batchWithin(64, { width: 2048, height: 2048, channels: 3 }) // 4
 */
export function batchWithin(wanted: number, format: InputFormat): number {
  if (isFeatureFormat(format)) return wanted;
  return Math.max(1, Math.min(wanted, Math.floor(batchPixels / (format.width * format.height))));
}
