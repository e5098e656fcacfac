// Whole networks with the kernels of a GPU, against the same networks in float64, which no kernel supports: composed of libtorch's operators.

import { grad, keep, nn, noGrad, randn, type Tensor, tidy } from '@anyclass/torch';
import { expect, test } from 'vitest';
import { channelsLast, describeOnCuda } from '../../test/onCuda.js';
import { fillByHash } from '../verify/hashFill.js';
import { createNetwork } from './createNetwork.js';
import { foldBatchNorm } from './foldBatchNorm.js';
import { countMultiplyAdds } from './multiplyAdds.js';
import type { Network } from './network.js';

const device = 'cuda';
const names = [
  'resnet-18',
  'resnet-50',
  'tresnet-m',
  'convnext-t',
  'convnextv2-t',
  'densenet-121',
  'efficientnetv2-s',
  'mobilenetv3-l',
  'swin-t',
  'maxvit-t',
  'deit3-s-16',
  'dinov3-s-plus-16',
] as const;
const inputSize = 224;

test('layer scale is folded into the layers before it', () => {
  for (const name of ['convnext-t', 'deit3-s-16', 'dinov3-s-plus-16'] as const) {
    using network = filled(name, 64).eval();
    using folded = foldBatchNorm(network);
    expect([...folded.stateDict().keys()].filter((entry) => entry.endsWith('gamma'))).toEqual([]);
    tidy(() => {
      const images = randn([2, 3, 64, 64]);
      const [found, expected] = noGrad(() => [folded.forward(images), network.forward(images)] as const);
      expect(distance([found], [expected])).toBeLessThan(1e-5);
    });
    expect(countMultiplyAdds(folded)).toBe(countMultiplyAdds(network));
  }
});

describeOnCuda('a network with fused layers', () => {
  test.each(names)('%s learns and predicts what it does in float64', (name) => {
    using network = filled(name, inputSize).to({ device, ...channelsLast });
    using reference = filled(name, inputSize).to({ device, dtype: 'float64' });
    tidy(() => {
      const images = keep(randn([4, 3, inputSize, inputSize], { device }).to(channelsLast));
      const wide = images.to('float64');
      const [found, expected] = [learned(network, images), learned(reference, wide)];
      expect(distance(found.slice(0, 1), expected.slice(0, 1)), 'logits in training').toBeLessThan(1e-3);
      // A rounded sum may lie on the other side of a ReLU's corner.
      expect(distance(found.slice(1), expected.slice(1)), 'gradients').toBeLessThan(0.05);

      for (const each of [network, reference]) each.eval();
      const logits = noGrad(() => reference.forward(wide));
      using folded = foldBatchNorm(network);
      expect(distance([noGrad(() => folded.forward(images))], [logits]), 'float32').toBeLessThan(1e-3);
      const half = noGrad(() => folded.to('bfloat16').forward(images.to('bfloat16')));
      expect(distance([half], [logits]), 'bfloat16').toBeLessThan(0.15);
      const one = noGrad(() => network.forward(images.narrow(0, 1, 1)));
      expect(distance([one], [logits.narrow(0, 1, 1)]), 'one image').toBeLessThan(1e-3);
      images.dispose();
    });
  });
});

function filled(name: (typeof names)[number], size: number): Network {
  const network = nn.init.withoutDrawing(() =>
    createNetwork(name, { classes: 5, inputSize: size, ...(name === 'maxvit-t' && { partitionSize: 7 }) }),
  );
  fillByHash(network, { negativeNormWeights: name === 'tresnet-m' });
  return network;
}

/** The logits in training without anything random, and the gradients of all parameters. */
function learned(network: Network, images: Tensor): Tensor[] {
  network.train();
  for (const [, module] of network.namedModules())
    if (module instanceof nn.Dropout || module instanceof nn.StochasticDepth) module.eval();
  const logits = network.forward(images);
  const found = grad([logits.square().mean()], network.parameters());
  return [logits.detach(), ...found.map((gradient) => gradient!)];
}

/** How far tensors are from what is expected, relative to its norm. */
function distance(found: readonly Tensor[], expected: readonly Tensor[]): number {
  const norm = (tensors: readonly Tensor[]) =>
    Math.hypot(...tensors.map((tensor) => Math.sqrt(tensor.square().sum().toNumber())));
  return norm(found.map((tensor, i) => tensor.to('float64').sub(expected[i]!))) / norm(expected);
}
