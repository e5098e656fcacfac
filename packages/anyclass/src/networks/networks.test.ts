import { autocast, nn, noGrad, optim, randn, setSeed, type Tensor, tidy, zeros } from '@anyclass/torch';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { NetworkOptions } from './catalog.js';
import { type NetworkName, networkCost, networkDefinitions, networkNames, networkSizes } from './catalog.js';
import { createNetwork } from './createNetwork.js';
import { isInFirstStages } from './fineTuning.js';
import { countMultiplyAdds } from './multiplyAdds.js';
import type { Network } from './network.js';

/** Options for 64 px images. */
function smallOptions(name: NetworkName): NetworkOptions {
  const base = { classes: 5, inputSize: 64 };
  return name.startsWith('maxvit') ? { ...base, partitionSize: 2 } : base;
}

test.each([
  ['tresnet-m', 17, 29_374_865],
  ['tresnet-m', 14, 29_368_718],
  ['tresnet-l', 17, 53_597_617],
  ['tresnet-l', 14, 53_590_318],
  ['tresnet-l', 41, 53_656_009],
  ['tresnet-xl', 17, 75_824_413],
  ['vit-b-16', 17, 85_811_729],
  ['vit-b-16', 14, 85_809_422],
  ['vit-b-16', 41, 85_830_185],
  ['maxvit-t', 14, 30_414_792],
  ['maxvit-s', 17, 68_171_948],
  ['maxvit-s', 14, 68_169_644],
  ['maxvit-s', 41, 68_190_380],
  ['resnet-34', 1000, 21_797_672],
  ['resnet-50', 1000, 25_557_032],
  ['resnet-101', 1000, 44_549_160],
  ['convnext-t', 1000, 28_589_128],
  ['convnext-s', 1000, 50_223_688],
  ['convnext-b', 1000, 88_591_464],
  ['convnextv2-t', 1000, 28_635_496],
  ['densenet-121', 1000, 7_978_856],
  ['efficientnetv2-s', 1000, 21_458_488],
  ['mobilenetv3-l', 1000, 5_483_032],
  ['vit-s-16', 1000, 22_050_664],
  ['deit3-s-16', 1000, 22_059_496],
  ['swin-t', 1000, 28_288_354],
  ['swin-s', 1000, 49_606_258],
] as const)('%s for %d classes has the published %d parameters', (name, classes, parameters) => {
  expect(networkCost(name, classes).parameters).toBe(parameters);
});

// One network for both, because the largest take a second to build and run.
test.each(networkNames)(
  '%s has the listed costs, and stages that hold its parameters from the stem on',
  (name) => {
    using network = blank(name, { classes: 17 });
    const counted = { parameters: network.parameterCount(), multiplyAdds: countMultiplyAdds(network) };
    expect(counted).toEqual(networkCost(name, 17));
    const { stages = [], input } = networkDefinitions[name];
    if (input !== 'features') expectStages(network, stages);
  },
);

/** Each parameter is in one stage, in order, and only the last layers are in none. */
function expectStages(network: Network, stages: readonly string[]): void {
  const parameters = Array.from(network.namedParameters());
  const placed = parameters.map(([name, { numel }]) => ({
    numel,
    place: stages.findIndex((_, i) => isInFirstStages(name, stages, i + 1)),
    isHead: name.startsWith(network.headPrefix),
  }));
  const places = placed.map(({ place }) => place).filter((place) => place >= 0);
  expect(new Set(places).size).toBe(stages.length);
  expect(places).toEqual(places.toSorted((a, b) => a - b));
  expect(placed.filter(({ isHead, place }) => isHead && place >= 0)).toEqual([]);
  const numel = (inStages: boolean) =>
    placed.reduce(
      (sum, { numel, place, isHead }) => (!isHead && place >= 0 === inStages ? sum + numel : sum),
      0,
    );
  expect(numel(false) / numel(true)).toBeLessThan(network.name === 'mobilenetv3-l' ? 0.5 : 0.03);
}

test('the small TResNet has 3 to 6 million parameters', () => {
  const { parameters } = networkCost('tresnet-s', 17);
  expect(parameters).toBeGreaterThan(3e6);
  expect(parameters).toBeLessThan(6e6);
});

// The comparison with golden values trains the others.
test.each(['tresnet-s', 'resnet-18'] as const)('the gradient reaches every parameter of %s', (name) => {
  setSeed(1);
  using network = createNetwork(name, smallOptions(name));
  tidy(() => {
    const logits = network.forward(randn([2, 3, 64, 64]));
    expect(logits.shape).toEqual([2, 5]);
    logits.sub(1).square().sum().backward();
    const unreached = Array.from(network.namedParameters()).filter(([, { grad }]) => grad === null);
    expect(unreached.map(([parameter]) => parameter)).toEqual([]);
  });
});

test('the same seed gives the same weights, another seed different ones', () => {
  const weightOf = (seed: number) => {
    setSeed(seed);
    using network = createNetwork('tresnet-s', { classes: 3, inputSize: 64 });
    return network.parameters()[0]?.toFloat32Array();
  };
  expect(weightOf(7)).toEqual(weightOf(7));
  expect(weightOf(7)).not.toEqual(weightOf(8));
});

test('with mirror, an image and its mirror image get the same logits: the mean of both, outside training', () => {
  setSeed(5);
  using network = createNetwork('resnet-18', { classes: 3, inputSize: 32, mirror: true }).eval();
  tidy(() =>
    noGrad(() => {
      const images = randn([2, 3, 32, 32]);
      const [own, mirrored] = [images, images.flip([3])].map((each) =>
        network.forwardHead(network.forwardFeatures(each)),
      );
      expect(largestDifference(own!, mirrored!)).toBeGreaterThan(1e-3);
      expect(largestDifference(network.forward(images), own!.add(mirrored!).div(2))).toBeLessThan(1e-6);
      expect(largestDifference(network.forward(images), network.forward(images.flip([3])))).toBeLessThan(
        1e-5,
      );
      network.train();
      const features = network.forwardFeatures(images);
      expect(network.logits(images, features).equal(network.forwardHead(features))).toBe(true);
    }),
  );
  expect(() => createNetwork('mlp', { classes: 3, inputSize: 8, mirror: true })).toThrow(/mirror/);
});

test('channels-last memory gives the same logits', () => {
  for (const name of ['tresnet-s', 'maxvit-t'] as const) {
    using network = createNetwork(name, smallOptions(name)).eval();
    tidy(() =>
      noGrad(() => {
        const images = randn([2, 3, 64, 64]);
        const before = network.forward(images);
        network.to({ memoryFormat: 'channelsLast' });
        const after = network.forward(images.to({ memoryFormat: 'channelsLast' }));
        expect(largestDifference(before, after)).toBeLessThan(1e-5);
      }),
    );
  }
});

test.each(['tresnet-s', 'maxvit-t', 'resnet-18'] as const)('%s trains in mixed precision', (name) => {
  // With some weights, the logits nearly cancel, and half precision is far off in relative terms.
  setSeed(6);
  // The CPU is slow at half precision, so images are as small as possible.
  const tiny = { classes: 5, inputSize: 32, ...(name === 'maxvit-t' && { partitionSize: 1 }) };
  using network = createNetwork(name, tiny);
  tidy(() => {
    const images = randn([2, 3, 32, 32]);
    const [exact, mixed] = noGrad(() => [
      network.eval().forward(images),
      autocast(() => network.forward(images)).to('float32'),
    ]);
    expect(largestDifference(exact!, mixed!)).toBeLessThan(0.05 * largest(exact!));
    const logits = autocast(() => network.train().forward(images));
    expect(logits.dtype).toBe('bfloat16');
    logits.to('float32').square().sum().backward();
    expect(network.parameters().every(({ grad }) => grad?.dtype === 'float32')).toBe(true);
  });
});

describe('TResNet', () => {
  test('every zero-initialized norm weight has moved after one step', () => {
    setSeed(3);
    using network = createNetwork('tresnet-s', { classes: 4, inputSize: 64 });
    const zero = Array.from(network.namedParameters()).filter(
      ([, weight]) => isZero(weight) && weight.ndim === 1,
    );
    const weights = zero.filter(([name]) => name.endsWith('1.weight'));
    expect(weights.length).toBe(10);
    tidy(() => {
      network
        .forward(randn([4, 3, 64, 64]))
        .sub(1)
        .square()
        .sum()
        .backward();
      new optim.SGD(network.parameters(), { lr: 0.1 }).step();
      for (const [name, weight] of weights) {
        const stuck = weight.eq(0).sum().toNumber();
        expect([name, stuck]).toEqual([name, 0]);
      }
    });
  });

  test('only the magnitudes of the norm weights matter, not their signs', () => {
    using network = createNetwork('tresnet-s', { classes: 4, inputSize: 64 });
    tidy(() => {
      const images = randn([4, 3, 64, 64]);
      const norms = Array.from(network.namedParameters()).filter(
        ([name, { ndim }]) => ndim === 1 && name.endsWith('weight'),
      );
      noGrad(() => norms.forEach(([, weight]) => void weight.uniform_(0.5, 1.5)));
      const [positive, gradients] = trained(network, images, norms);
      noGrad(() => norms.forEach(([, weight]) => void weight.neg_()));
      const [negative, mirrored] = trained(network, images, norms);
      expect(largestDifference(positive, negative)).toBe(0);
      gradients.forEach((gradient, i) => {
        expect(largestDifference(gradient, mirrored[i]!.neg())).toBeLessThan(1e-5 * largest(gradient));
      });
    });
  });

  test('sizes that its blur pools cannot halve are refused', () => {
    expect(() => createNetwork('tresnet-m', { classes: 2, inputSize: 30 })).toThrow(
      'tresnet-m: inputSize is 30; expected a multiple of 4, at least 32',
    );
    using network = blank('tresnet-m', { classes: 2, inputSize: 36 });
    expect(network.eval().forward(zeros([1, 3, 36, 36])).shape).toEqual([1, 2]);
  });
});

test('a ViT refuses images of a size it was not built for, and patches that do not divide the image', () => {
  using network = blank('vit-b-16', { classes: 2, inputSize: 64, patchSize: 8 });
  expect(network.stateDict().get('encoder.pos_embedding')?.shape).toEqual([1, 65, 768]);
  expect(() => network.forward(zeros([1, 3, 32, 32]))).toThrow(/images of 32x32 px, .* inputSize 64/);
  expect(() => createNetwork('vit-b-16', { classes: 2, inputSize: 100 })).toThrow(
    'vit-b-16: patchSize 16 does not divide inputSize 100',
  );
});

test('a MaxViT says which partition fits its feature maps', () => {
  expect(() => createNetwork('maxvit-t', { classes: 2, inputSize: 64 })).toThrow(
    /feature maps are 16, 8, 4, 2 px wide, .* use partitionSize 2 or inputSize 224/,
  );
});

test("a MaxViT's stochastic depth increases linearly over its 11 layers, and can be turned off", () => {
  using network = blank('maxvit-t', smallOptions('maxvit-t'));
  const probabilities = Array.from(network.namedModules()).flatMap(([, module]) =>
    module instanceof nn.StochasticDepth ? [module.probability] : [],
  );
  // Three branches in each layer.
  expect(probabilities).toEqual(
    Array.from({ length: 33 }, (_, i) => expect.closeTo((0.2 * Math.floor(i / 3)) / 10, 12)),
  );
  using steady = blank('maxvit-t', { ...smallOptions('maxvit-t'), stochasticDepth: 0 });
  for (const [, module] of steady.namedModules()) {
    if (module instanceof nn.StochasticDepth) expect(module.probability).toBe(0);
  }
});

test.each(['tresnet-s', 'resnet-18'] as const)('expert heads give %s one small network per class', (name) => {
  using network = createNetwork(name, { ...smallOptions(name), head: 'experts' }).eval();
  const state = network.stateDict();
  const head = [...state.keys()].filter((entry) => entry.startsWith(network.headPrefix));
  expect(head.length).toBe(6);
  const images = randn([3, 3, 64, 64]);
  const before = noGrad(() => network.forward(images));
  expect(before.shape).toEqual([3, 5]);
  // Changing the third class's network may change only the third class's logits.
  const last = head.find((entry) => entry.endsWith('biases.2'))!;
  noGrad(() => void state.get(last)!.select(0, 2).add_(1));
  const change = noGrad(() => network.forward(images).sub(before));
  expect(change.abs().amax([0]).toArray()).toEqual([0, 0, expect.closeTo(1, 4), 0, 0]);
});

test('options of another family and invalid numbers are refused', () => {
  expect(() => createNetwork('tresnet-m', { classes: 2, patchSize: 8 })).toThrow(
    'tresnet-m has no option patchSize; it is an option of vit',
  );
  expect(() => createNetwork('vit-b-16', { classes: 2, partitionSize: 7 })).toThrow(
    'vit-b-16 has no option partitionSize; it is an option of maxvit-t, maxvit-s',
  );
  const misspelled = { classes: 2, pachSize: 8 };
  expect(() => createNetwork('vit-b-16', misspelled)).toThrow(
    'vit-b-16 has no option pachSize; it takes classes, inputSize, channels, head, mirror, tiles, patchSize',
  );
  expect(() => createNetwork('tresnet-m', { classes: 0 })).toThrow(
    'tresnet-m: classes is 0; expected more than 0',
  );
  expect(() => createNetwork('maxvit-t', { classes: 2, stochasticDepth: 2 })).toThrow(
    'maxvit-t: stochasticDepth is 2; expected at most 1',
  );
});

test.each(networkNames.filter((name) => networkDefinitions[name].input !== 'features'))(
  '%s takes the sizes that it lists',
  (name) => {
    const { multipleOf, least } = networkSizes(name)!;
    for (const inputSize of [least, least + multipleOf]) blank(name, { classes: 1, inputSize }).dispose();
    if (multipleOf > 1) expect(() => createNetwork(name, { classes: 1, inputSize: least + 1 })).toThrow(name);
  },
);

test.each([
  'tresnet-s',
  'vit-s-16',
  'deit3-s-16',
  'dinov2-s-14',
  'dinov3-s-16',
  'maxvit-t',
  'swin-t',
  'convnext-t',
] as const)('%s is tied to the size that it was built for if its file says so', (name) => {
  const windows = name === 'maxvit-t' ? { partitionSize: 1 } : {};
  const { multipleOf, least, isTied } = networkSizes(name, windows)!;
  using network = blank(name, { classes: 1, inputSize: least, ...windows }).eval();
  const side = 2 * Math.max(32, multipleOf);
  const images = zeros([1, 3, side, side]);
  const forward = () => tidy(() => noGrad(() => network.forward(images)).shape);
  if (isTied) expect(forward).toThrow(`built for inputSize ${least}`);
  else expect(forward()).toEqual([1, 1]);
});

test.each(networkNames)('the defaults of %s are valid', (name) => {
  const { options, defaults } = networkDefinitions[name];
  expect(z.strictObject(options).parse(defaults)).toEqual(defaults);
});

/** A network whose weights do not matter; drawing them would take longest. */
function blank(name: NetworkName, options: NetworkOptions): Network {
  return nn.init.withoutDrawing(() => createNetwork(name, options));
}

function trained(network: Network, images: Tensor, norms: [string, nn.Parameter][]): [Tensor, Tensor[]] {
  network.zeroGrad();
  const logits = network.forward(images);
  logits.square().sum().backward();
  return [logits, norms.map(([, weight]) => weight.grad!.clone())];
}

function largestDifference(a: Tensor, b: Tensor): number {
  return largest(a.sub(b));
}

function largest(values: Tensor): number {
  return tidy(() => values.detach().abs().amax().toNumber());
}

function isZero(weight: Tensor): boolean {
  return largest(weight) === 0;
}
