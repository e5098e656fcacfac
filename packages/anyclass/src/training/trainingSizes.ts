// Training on smaller images first, which costs less, and finishing at the size that the model is used at. Howard et al., fast.ai's
// DAWNBench entry (2018); Touvron et al., "Fixing the train-test resolution discrepancy", arXiv 1906.06423.

import { noGrad, tidy, zeros } from '@anyclass/torch';
import { knownInputSize } from '../configuration/inputSize.js';
import { defined } from '../configuration/openOptions.js';
import type { Configuration } from '../configuration/schema.js';
import type { Size } from '../data/augmentation/changes.js';
import { messageOf } from '../errors/reasonOf.js';
import { UserError } from '../errors/userError.js';
import { networkSizes } from '../networks/catalog.js';
import type { Network } from '../networks/network.js';

type SizeFields = Pick<Configuration, 'sizes' | 'epochs' | 'network'>;

/**
 * The size of the training images in an epoch, counted from 0; undefined if they keep the network's own.
 *
 * @example
 * trainingSize({ ...configuration, sizes: [{ epoch: 1, size: 96 }, { epoch: 13, size: 128 }] }, 0) // { width: 96, height: 96 }
 */
export function trainingSize(configuration: SizeFields, epoch: number): Size | undefined {
  const sizes = plannedSizes(configuration);
  const started = sizes.filter((one) => one.epoch <= epoch + 1);
  const latest = started.reduce<PlannedSize | undefined>(
    (last, one) => (last === undefined || one.epoch >= last.epoch ? one : last),
    undefined,
  );
  return latest && { width: latest.size, height: latest.size };
}

interface PlannedSize {
  /** The epoch from which on images have the size, counted from 1. */
  readonly epoch: number;
  readonly size: number;
}

/**
 * The sizes of a configuration, `progressive` spelled out: three sizes, a third of the epochs each, in multiples of 32 that every
 * stride divides, or of a window. None for networks that are tied to one size.
 *
 * @example
 * plannedSizes({ ...configuration, sizes: 'progressive', epochs: 40, network: { ...network, inputSize: 160 } })
 * // [{ epoch: 1, size: 96 }, { epoch: 14, size: 128 }, { epoch: 27, size: 160 }]
 */
export function plannedSizes({ sizes, epochs, network }: SizeFields): readonly PlannedSize[] {
  if (sizes !== 'progressive') return sizes;
  const { multipleOf = 1, isTied } = networkSizes(network.name, defined(network)) ?? {};
  if (network.tiles || isTied) return []; // tiles have one size
  const inputSize = knownInputSize(network);
  const unit = Math.max(32, multipleOf);
  return [0.6, 0.8, 1].map((share, third) => ({
    epoch: 1 + Math.floor((third * epochs) / 3),
    size:
      share === 1
        ? inputSize
        : Math.min(inputSize, unit * Math.max(1, Math.round((share * inputSize) / unit))),
  }));
}

/**
 * Tries every size before training starts: positions and windows tie some networks to one.
 *
 * @returns a remark if `progressive` has no effect
 * @throws UserError if the network cannot take one of them
 */
export function checkSizes(network: Network, configuration: SizeFields): string[] {
  const { inputSize, tiles } = network.options;
  if (tiles && configuration.sizes !== 'progressive' && configuration.sizes.length > 0)
    throw new UserError('sizes: images are cut into tiles of one size (network.tiles); leave sizes out');
  const wasTraining = network.training;
  const planned = plannedSizes(configuration);
  network.eval();
  for (const { size } of planned) {
    try {
      tidy(() => noGrad(() => network.forward(zeros([1, 3, size, size], { device: deviceOf(network) }))));
    } catch (error) {
      throw new UserError(
        `sizes: ${network.name}, built for ${inputSize} px, cannot train at ${size} px (${messageOf(error)}); train at ${inputSize} px in all epochs, or choose another network`,
        { setting: 'sizes=[]' },
      );
    }
  }
  network.train(wasTraining);
  if (configuration.sizes !== 'progressive' || planned.length > 0) return [];
  return [
    `sizes: progressive has no effect, since ${tiles ? 'tiles have one size' : `${network.name} takes only the size it was built for`}; all epochs train at ${inputSize} px`,
  ];
}

function deviceOf(network: Network) {
  return network.parameters()[0]?.device ?? 'cpu';
}
