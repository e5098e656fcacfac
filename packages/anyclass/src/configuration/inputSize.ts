// The input size of a network, which a configuration may leave to the images.

import type { Configuration } from './schema.js';

/**
 * The input size in pixels. A run's is always known: training replaces `fit` before anything else.
 *
 * @example
 * knownInputSize({ inputSize: 160 }) // 160
 */
export function knownInputSize({ inputSize }: Pick<Configuration['network'], 'inputSize'>): number {
  if (inputSize === 'fit') throw new Error("network.inputSize is 'fit'; fitInput() chooses the size first");
  return inputSize;
}

/**
 * Height and width of the images that a network gets: its input size, or that of the images that it cuts into tiles.
 *
 * @example
 * imageSizeOf({ inputSize: 256, tiles: { imageSize: 2048, overlap: 32, pool: 'max' } }) // 2048
 */
export function imageSizeOf({
  inputSize,
  tiles,
}: Pick<Configuration['network'], 'inputSize' | 'tiles'>): number {
  return tiles?.imageSize ?? knownInputSize({ inputSize });
}
