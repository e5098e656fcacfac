// The input size of a network, which a configuration may leave to the images.

import type { Configuration } from './schema.js';

/**
 * The input size in pixels. A run's is always known: training replaces `fit` and `small` before anything else.
 *
 * @example
 * knownInputSize({ inputSize: 160 }) // 160
 */
export function knownInputSize({ inputSize }: Pick<Configuration['network'], 'inputSize'>): number {
  if (typeof inputSize === 'string')
    throw new Error(`network.inputSize is '${inputSize}'; fitInput() chooses the size first`);
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
