import { liveTensors, noGrad, randn, setSeed, tidy } from '@anyclass/torch';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { collectTensors } from '../../../torch/test/collectTensors.js';
import { quickNetwork } from '../../test/quickNetwork.js';
import { type NetworkOptions, networkDefinitions, networkStride } from './catalog.js';
import { createNetwork } from './createNetwork.js';
import { foldBatchNorm } from './foldBatchNorm.js';
import type { Network } from './network.js';

beforeAll(collectTensors, 60_000);

const small: NetworkOptions = { classes: 3, inputSize: 64 };

describe.each([
  ['tresnet-s', small, [2, 1024, 4, 4]],
  ['tresnet-m', small, [2, 2048, 2, 2]],
  ['vit-s-16', small, [2, 1 + 4 * 4, 384]],
  ['maxvit-t', { ...small, partitionSize: 2 }, [2, 512, 2, 2]],
  ['resnet-18', small, [2, 512, 2, 2]],
  ['resnet-50', small, [2, 2048, 2, 2]],
  ['convnext-t', small, [2, 768, 2, 2]],
  ['convnextv2-t', small, [2, 768, 2, 2]],
  ['densenet-121', small, [2, 1024, 2, 2]],
  ['efficientnetv2-s', small, [2, 1280, 2, 2]],
  ['mobilenetv3-l', small, [2, 960, 2, 2]],
  ['dinov2-s-14-reg', { ...small, inputSize: 70 }, [2, 1 + 4 + 5 * 5, 384]],
  ['dinov3-s-16', small, [2, 1 + 4 + 4 * 4, 384]],
  ['swin-t', small, [2, 768, 2, 2]],
] as const)('%s', (name, options, shape) => {
  // Built once, since drawing the weights takes longest.
  let network: Network;
  beforeAll(() => {
    setSeed(1);
    network = quickNetwork(name, options).eval();
  });
  afterAll(() => network[Symbol.dispose]());

  test('equals its head applied to its features, bit for bit, and has the stride that the catalog states', () => {
    using folded = foldBatchNorm(network);
    for (const tried of [network, folded]) {
      tidy(() =>
        noGrad(() => {
          const images = randn([2, ...tried.inputShape]);
          const features = tried.forwardFeatures(images);
          expect(features.shape).toEqual(shape);
          const side = tried.options.inputSize / (networkStride(name, options) ?? Number.NaN);
          expect(tried.maps(features).shape.slice(2)).toEqual([side, side]);
          expect(tried.pooled(features).shape).toEqual([2, networkDefinitions[name].trunk.features]);
          expect(tried.forwardHead(features).equal(tried.forward(images))).toBe(true);
        }),
      );
    }
  });

  test('keeps only what it returns alive', () => {
    using images = randn([1, ...network.inputShape]);
    const before = liveTensors();
    using features = noGrad(() => network.forwardFeatures(images));
    using logits = noGrad(() => network.forward(images));
    expect(liveTensors() - before).toBe([features, logits].length);
  });
});

test('gradients of another head on the features reach the first layer', () => {
  using network = createNetwork('resnet-18', small);
  tidy(() => {
    network
      .pooled(network.forwardFeatures(randn([2, 3, 64, 64])))
      .square()
      .sum()
      .backward();
    expect(network.stateDict().get('conv1.weight')?.grad?.abs().amax().toNumber()).toBeGreaterThan(0);
    expect(network.stateDict().get('fc.weight')?.grad).toBeNull();
  });
});
