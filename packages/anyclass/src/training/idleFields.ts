// Fields that are valid one by one, but have no effect, or all of it, in the run that they are part of.

import type { Configuration } from '../configuration/schema.js';
import { mixedShare } from '../data/augmentation/mixing.js';
import { counted } from '../errors/counted.js';

type Fields = Pick<Configuration, 'epochs' | 'plainEpochs' | 'sizes' | 'mixing' | 'batchSize'>;

/**
 * Warnings about them.
 *
 * @example
 * idleFields({ ...configuration, epochs: 2, plainEpochs: 5 }) // ['warning: plainEpochs is 5, so all 2 epochs …']
 */
export function idleFields({ epochs, plainEpochs, sizes, mixing, batchSize }: Fields): string[] {
  const late = sizes === 'progressive' ? undefined : sizes.find(({ epoch }) => epoch > epochs);
  return [
    ...(plainEpochs >= epochs
      ? [
          `plainEpochs is ${plainEpochs}, so the whole run of ${counted(epochs, 'epoch')} trains without augmentation, except flips, and without mixing`,
        ]
      : []),
    ...(late ? [`sizes: the size of epoch ${late.epoch} is never used, since epochs is ${epochs}`] : []),
    ...(batchSize === 1 && mixedShare(mixing) > 0
      ? ['mixing has no effect, since images are mixed with a neighbor of their batch and batchSize is 1']
      : []),
  ].map((text) => `warning: ${text}`);
}
