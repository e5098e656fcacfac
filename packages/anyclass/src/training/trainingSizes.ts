// Training on smaller images first, which costs less, and finishing at the size that the model is used at. Howard et al., fast.ai's
// DAWNBench entry (2018); Touvron et al., "Fixing the train-test resolution discrepancy", arXiv 1906.06423.

import { noGrad, tidy, zeros } from '@anyclass/torch';
import type { Configuration } from '../configuration/schema.js';
import type { Size } from '../data/augmentation/changes.js';
import { UserError } from '../errors/userError.js';
import type { Network } from '../networks/network.js';

/**
 * The size of the training images in an epoch, counted from 0; undefined if they keep the network's own.
 *
 * @example
 * trainingSize({ ...configuration, sizes: [{ epoch: 1, size: 96 }, { epoch: 13, size: 128 }] }, 0) // { width: 96, height: 96 }
 */
export function trainingSize({ sizes }: Pick<Configuration, 'sizes'>, epoch: number): Size | undefined {
  const started = sizes.filter((one) => one.epoch <= epoch + 1);
  const latest = started.reduce<(typeof sizes)[number] | undefined>(
    (last, one) => (last === undefined || one.epoch >= last.epoch ? one : last),
    undefined,
  );
  return latest && { width: latest.size, height: latest.size };
}

/** Tries every size before training starts: positions and windows tie some networks to one. */
export function checkSizes(network: Network, { sizes }: Pick<Configuration, 'sizes'>): void {
  const { inputSize } = network.options;
  const wasTraining = network.training;
  network.eval();
  for (const { size } of sizes) {
    try {
      tidy(() => noGrad(() => network.forward(zeros([1, 3, size, size], { device: deviceOf(network) }))));
    } catch (error) {
      throw new UserError(
        `sizes: ${network.name}, built for ${inputSize} px, cannot train at ${size} px (${error instanceof Error ? error.message : String(error)}); leave this size out, or choose another network`,
      );
    }
  }
  network.train(wasTraining);
}

function deviceOf(network: Network) {
  return network.parameters()[0]?.device ?? 'cpu';
}
