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
