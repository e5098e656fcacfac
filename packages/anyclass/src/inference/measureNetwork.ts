// How fast a network is on this machine.

import { nn, noGrad, randn, type Tensor, tidy } from '@anyclass/torch';
import type { NetworkName } from '../networks/catalog.js';
import { createNetwork } from '../networks/createNetwork.js';
import { foldInPlace } from '../networks/foldBatchNorm.js';
import { moveNetwork } from '../networks/moveNetwork.js';
import { type ComputeSettings, inPrecision } from './computeDevice.js';

export interface NetworkRates {
  /** Images predicted per second, with batch norms folded. */
  readonly predicted: number;
  /** Images trained per second: forward and backward, without the optimizer's step and without loading. */
  readonly trained: number;
}

export interface MeasureOptions {
  readonly inputSize: number;
  readonly batchSize: number;
}

const seconds = 0.5;

/**
 * Measures a network with random images, after a first batch that warms up. Rates depend on what else the machine does.
 *
 * @example
 * measureNetwork('resnet-18', chooseCompute({ device: 'auto', precision: 'auto' }), { inputSize: 224, batchSize: 8 }).predicted // 61.2…
 */
export function measureNetwork(
  name: NetworkName,
  settings: ComputeSettings,
  { inputSize, batchSize }: MeasureOptions,
): NetworkRates {
  const { device } = settings;
  using network = nn.init.withoutDrawing(() => createNetwork(name, { classes: 17, inputSize }));
  moveNetwork(network, device);
  using images = randn([batchSize, ...network.inputShape], { device });
  const forward = () => inPrecision(settings, () => network.forward(images));
  const trained = rateOf(batchSize, () => {
    network.zeroGrad();
    const sum = forward().to('float32').sum();
    sum.backward();
    return sum;
  });
  foldInPlace(network);
  return { trained, predicted: rateOf(batchSize, () => noGrad(() => forward().sum())) };
}

/** Reading a number waits for everything that a GPU was asked to do before. */
function rateOf(batchSize: number, step: () => Tensor): number {
  const run = () => tidy(() => step().toNumber());
  run();
  const start = performance.now();
  let batches = 0;
  while (performance.now() - start < 1000 * seconds) {
    run();
    batches++;
  }
  return (1000 * batches * batchSize) / (performance.now() - start);
}
