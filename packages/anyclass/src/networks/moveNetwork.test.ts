import { expect, test } from 'vitest';
import { createNetwork } from './createNetwork.js';
import { moveNetwork } from './moveNetwork.js';

test.for([
  ['tresnet-s', true],
  ['mobilenetv3-l', true],
  ['densenet-121', true],
  ['vit-s-16', false],
  ['convnext-t', false],
] as const)('on the CPU, the weights of %s have their channels last: %s', ([name, isLast]) => {
  using network = moveNetwork(createNetwork(name, { classes: 2, inputSize: 64 }), 'cpu');
  const kernels = network.parameters().filter(({ shape }) => shape.length === 4 && shape.every((n) => n > 1));
  expect(kernels.length).toBeGreaterThan(0);
  for (const kernel of kernels) expect(kernel.isContiguous('channelsLast')).toBe(isLast);
});
