import { generatorState, nn, noGrad, rand, randn, setGeneratorState, tidy } from '@anyclass/torch';
import { expect, test } from 'vitest';
import { fillByHash } from '../verify/hashFill.js';
import { createNetwork } from './createNetwork.js';
import { foldBatchNorm } from './foldBatchNorm.js';

test.each([
  ['tresnet-s', {}],
  ['resnet-18', {}],
  ['maxvit-t', { partitionSize: 2 }],
  ['efficientnetv2-s', {}],
  ['mobilenetv3-l', {}],
  ['densenet-121', {}],
] as const)('folding does not change the logits of %s', (name, options) => {
  using network = nn.init.withoutDrawing(() =>
    createNetwork(name, { classes: 5, inputSize: 64, ...options }).eval(),
  );
  fillByHash(network, { negativeNormWeights: true });
  const before = network
    .stateDict()
    .get([...network.stateDict().keys()][0]!)!
    .clone();
  using folded = foldBatchNorm(network);
  tidy(() =>
    noGrad(() => {
      const images = randn([2, 3, 64, 64]);
      const expected = network.forward(images);
      const difference = folded.forward(images).sub(expected).abs().amax().toNumber();
      expect(difference).toBeLessThan(1e-5 * expected.abs().amax().toNumber());
    }),
  );
  const norms = [...folded.stateDict().keys()].filter((entry) => entry.endsWith('running_mean'));
  // DenseNet's norms before a ReLU stay.
  const others = norms.filter((entry) => !/denselayer\d+\.norm1|transition\d\.norm|norm5/.test(entry));
  expect(others).toEqual([]);
  expect([...network.stateDict().values()][0]!.equal(before)).toBe(true);
});

test('folding draws no random numbers', () => {
  using network = createNetwork('tresnet-s', { classes: 2, inputSize: 64 });
  const before = generatorState();
  const expected = rand([4]).toArray();
  setGeneratorState(before);
  foldBatchNorm(network).dispose();
  expect(rand([4]).toArray()).toEqual(expected);
});
