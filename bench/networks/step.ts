// A training step as both sides do it: forward, class-balanced any-class focal loss, backward, clipping, optimizer.

import { autocast, type Device, keep, linspace, optim, type Tensor, tensor } from '@anyclass/torch';
import { anyClassLoss } from 'anyclass/losses';
import { createNetwork, moveNetwork, type Network, type NetworkName } from 'anyclass/networks';
import { fillByHash } from 'anyclass/verify';

export const classes = 17;

export interface Trainer {
  readonly network: Network;
  /** Runs one step and returns the loss. */
  readonly step: (images: Tensor, targets: Tensor) => readonly Tensor[];
}

export interface TrainerOptions {
  readonly device: Device;
  readonly inputSize: number;
  readonly mixedPrecision: boolean;
}

/** A network with the same weights as the peer's, and its optimizer. */
export function trainer(name: NetworkName, { device, inputSize, mixedPrecision }: TrainerOptions): Trainer {
  const patchSize = name.startsWith('vit') && inputSize < 128 ? { patchSize: 8 } : {};
  const network = createNetwork(name, { classes, inputSize, ...patchSize });
  fillByHash(network);
  moveNetwork(network, device);
  const parameters = network.parameters();
  const optimizer = name.startsWith('tresnet')
    ? new optim.SGD(parameters, { lr: 1e-3, momentum: 0.9, weightDecay: 1e-4 })
    : new optim.AdamW(parameters, { lr: 1e-5, weightDecay: 0.05 });
  const balance = { classWeights: keep(linspace(2, 0.1, classes, { device })), negativeWeight: 0.1 };
  const lossOf = (images: Tensor, targets: Tensor) =>
    anyClassLoss(network.forward(images), targets, { base: 'focal', balance });
  const step = (images: Tensor, targets: Tensor) => {
    optimizer.zeroGrad();
    const loss = mixedPrecision
      ? autocast(() => lossOf(images, targets), { device: device === 'cpu' ? 'cpu' : 'cuda' })
      : lossOf(images, targets);
    loss.backward();
    optim.clipGradNorm_(parameters, 1);
    optimizer.step();
    return [loss.detach()];
  };
  return { network, step };
}

/** Every second row has no class, the others have two. */
export function targets(batch: number): Tensor {
  const values = new Float32Array(batch * classes);
  for (let i = 0; i < batch; i += 2) {
    values[i * classes + (i % classes)] = 1;
    values[i * classes + ((3 * i + 1) % classes)] = 1;
  }
  return tensor(values, { shape: [batch, classes] });
}
