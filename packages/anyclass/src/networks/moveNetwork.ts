import type { Device } from '@anyclass/torch';
import { ActivatedBatchNorm } from './layers/activatedBatchNorm.js';
import type { Network } from './network.js';

/**
 * Moves a network to a device, in the memory layout that is fastest there.
 *
 * @example
 * moveNetwork(createNetwork('resnet-50', { classes: 17 }), 'cuda')
 */
export function moveNetwork(network: Network, device: Device): Network {
  const isFasterLast = device !== 'cpu' || hasBatchNorms(network);
  return network.to({ device, memoryFormat: isFasterLast ? 'channelsLast' : 'contiguous' });
}

/** On the CPU these train 1.04 to 1.5 times as fast with the channels last; networks of layer norms, 5% slower. */
function hasBatchNorms(network: Network): boolean {
  return [...network.namedModules()].some(([, module]) => module instanceof ActivatedBatchNorm);
}
