// The kernels at the ends of blocks, and TResNet's padded maps, against the same layers composed of libtorch's operators in float64.

import { type Dtype, keep, nn, noGrad, randn, type Tensor } from '@anyclass/torch';
import { describe, expect, test } from 'vitest';
import { expectClose } from '../../../test/closeTensors.js';
import { channelsLast, describeOnCuda, expectSameBits, outputAndGradients } from '../../../test/onCuda.js';
import { fillByHash } from '../../verify/index.js';
import type { NetworkName } from '../catalog.js';
import { createNetwork } from '../createNetwork.js';
import { foldBatchNorm } from '../foldBatchNorm.js';
import type { Network } from '../network.js';
import { ActivatedBatchNorm } from './activatedBatchNorm.js';
import { BlurPool } from './blurPool.js';
import { ConvNorm } from './convNorm.js';
import { HalvingPool } from './halvingPool.js';
import { SqueezeExcite } from './squeezeExcite.js';

const device = 'cuda';

describe('convolutions of padded maps', () => {
  test('are not padded on the CPU', () => {
    const conv = new ConvNorm(3, 76, { kernel: 1, padded: true });
    expect(conv.forward(randn([2, 3, 4, 4])).shape).toEqual([2, 76, 4, 4]);
  });

  test('have stride 1', () => {
    expect(() => new ConvNorm(3, 8, { kernel: 3, stride: 2, padded: true })).toThrow(/stride/);
  });
});

describeOnCuda('the ends of blocks', () => {
  const precisions = [
    { dtype: 'float32', channels: 76, side: 9, tolerance: 5e-5 },
    { dtype: 'bfloat16', channels: 76, side: 14, tolerance: 2 ** -7 },
    { dtype: 'float16', channels: 24, side: 6, tolerance: 2 ** -9 },
  ] as const;
  const ends = [
    { end: 'relu(norm + residual)', activation: 'identity', hasResidual: true, isExcited: false },
    { end: 'relu(excited norm + residual)', activation: 'identity', hasResidual: true, isExcited: true },
    { end: 'an excited norm', activation: { leakySlope: 0.1 }, hasResidual: false, isExcited: true },
  ] as const;
  const cases = ends.flatMap((end) => precisions.map((precision) => ({ ...end, ...precision })));

  test.each(cases)('$end equals the composition in float64: $dtype, $channels channels', (given) => {
    const { norm, se, x, residual, dy } = problem(given);
    const [wideNorm, wideSe] = [doubled(norm, () => newNorm(given)), doubled(se, () => newExcitation(given))];
    const wide = (maps: Tensor) => maps.narrow(1, 0, given.channels).to('float64');
    // Near zero, either side may be right within the accuracy of the maps.
    const plain = doubled(norm, () => newNorm({ ...given, activation: 'identity' }));
    const isClear = noGrad(() => {
      const normed = plain.forward(wide(x));
      const before = given.hasResidual
        ? (given.isExcited ? wideSe.forward(normed) : normed).add(wide(residual))
        : normed;
      return before.abs().gt(1e-3);
    });
    const gradient = wide(dy).mul(isClear.to('float64'));
    const narrow = nn.functional.pad(gradient, [0, 0, 0, 0, 0, paddedTo(given.channels) - given.channels]);
    const found = resultsOf(given, {
      norm,
      se,
      x,
      residual,
      dy: narrow.to({ dtype: given.dtype, ...channelsLast }),
    });
    const expected = resultsOf(given, {
      norm: wideNorm,
      se: wideSe,
      x: wide(x),
      residual: wide(residual),
      dy: gradient,
    });
    found.forEach((result, i) => {
      const shown = result.ndim === 4 && result.shape[0] === 4 ? result.narrow(1, 0, given.channels) : result;
      expectClose(shown, expected[i]!, given.tolerance, `result ${i}`);
    });
    expectClose(norm.runningMean, wideNorm.runningMean, 1e-4, 'running mean');
    expectClose(norm.runningVar, wideNorm.runningVar, 1e-4, 'running variance');
    expect(norm.numBatchesTracked.toNumber()).toBe(1);
  });

  test('give the same bits in every call, captured or not', () => {
    const given = { ...ends[1], ...precisions[1] };
    const { norm, se, x, residual, dy } = problem(given);
    const kept = { norm, se, x: keep(x), residual: keep(residual), dy: keep(dy) };
    expectSameBits(() => resultsOf(given, kept));
  });

  test('in evaluation equal the composition, folded or not', () => {
    const options = { kernel: 3, padding: 1, padded: true, norm: { absoluteWeight: true } } as const;
    const conv = new ConvNorm(32, 76, options).to({ device, ...channelsLast });
    const se = newExcitation({ channels: 76 });
    noGrad(() => {
      conv.norm.weight.copy_(randn([76]));
      conv.norm.runningMean.copy_(randn([76]));
    });
    const [x, residual] = [32, 76].map((channels) =>
      randn([4, channels, 9, 9], { device }).to(channelsLast),
    ) as [Tensor, Tensor];
    const reference = doubled(conv, () => new ConvNorm(32, 76, options));
    const excitation = doubled(se, () => newExcitation({ channels: 76 }));
    for (const module of [conv, reference]) module.eval();
    const results = (layer: ConvNorm, layers: SqueezeExcite, dtype: Dtype) =>
      noGrad(() => [
        layer.forward(x.to(dtype)),
        layer.forwardWithResidual(x.to(dtype), residual.to(dtype)),
        layer.forwardExcited(x.to(dtype), layers, residual.to(dtype)),
      ]);
    const expected = results(reference, excitation, 'float64');
    const check = (title: string) =>
      results(conv, se, 'float32').forEach((found, i) => {
        expectClose(found.narrow(1, 0, 76), expected[i]!, 2e-5, `${title}, result ${i}`);
      });
    check('norm');
    conv.fold();
    check('folded');
  });

  test('a norm that alone is in training mode still learns its statistics', () => {
    const conv = new ConvNorm(16, 24, { kernel: 1, padded: true }).to({ device, ...channelsLast }).eval();
    conv.norm.training = true;
    noGrad(() => conv.forward(randn([4, 16, 5, 5], { device }).add(3).to(channelsLast)));
    expect(conv.norm.numBatchesTracked.toNumber()).toBe(1);
    expect(conv.norm.runningMean.abs().amax().toNumber()).toBeGreaterThan(0);
  });

  const sizes = [
    [7, 6],
    [8, 5],
    [2, 3],
  ] as const;
  const pools = [
    { title: 'the blur pool', build: () => new BlurPool(24) },
    { title: 'the mean of 2x2 pixels', build: () => new HalvingPool(2) },
    { title: 'the mean of 3x3 pixels', build: () => new HalvingPool(3) },
  ];
  const halved = pools.flatMap((pool) => sizes.map(([height, width]) => ({ ...pool, height, width })));
  test.each(halved)('$title equals the composition on $height x $width', ({ build, height, width }) => {
    const pool = build().to(device);
    if (pool instanceof BlurPool) noGrad(() => void pool.filt.copy_(randn([24, 1, 3, 3])));
    const reference = doubled(pool, build);
    const x = randn([3, 24, height, width], { device }).to(channelsLast);
    const shape = [3, 24, Math.floor((height - 1) / 2) + 1, Math.floor((width - 1) / 2) + 1];
    const dy = randn(shape, { device }).to(channelsLast);
    // Contiguous: libtorch's gradient of a padded mean is wrong for channels-last maps on a GPU, as it forgets the padding.
    const wide = (maps: Tensor) => maps.to({ dtype: 'float64', memoryFormat: 'contiguous' });
    const [found, expected] = [
      outputAndGradients((maps) => pool.forward(maps), { x, dy, parameters: [] }),
      outputAndGradients((maps) => reference.forward(maps), { x: wide(x), dy: wide(dy), parameters: [] }),
    ];
    found.forEach((result, i) => {
      expectClose(result, expected[i]!, 1e-5, `result ${i}`);
    });
  });
});

describeOnCuda('a folded convolution', () => {
  const around = { kernel: 3, padding: 1 } as const;
  const kinds = [
    { title: 'a stride', options: { ...around, stride: 2 } },
    { title: 'a stride of one side', options: { ...around, stride: [2, 1] } },
    { title: 'dilation', options: { kernel: 3, padding: 2, dilation: 2 } },
    { title: 'groups', options: { ...around, groups: 4 } },
    { title: 'a kernel of one pixel', options: { kernel: 1 } },
  ] as const;
  const precisions = [
    { dtype: 'float32', tolerance: 2e-5 },
    { dtype: 'bfloat16', tolerance: 2 ** -6 },
    { dtype: 'float16', tolerance: 2 ** -9 },
  ] as const;
  const cases = kinds.flatMap((kind) => precisions.map((precision) => ({ ...kind, ...precision })));
  test.each(cases)(
    'with $title equals the composition in float64: $dtype',
    ({ options, dtype, tolerance }) => {
      const ofEnd = () => new ConvNorm(32, 48, options);
      const ofMiddle = () => new ConvNorm(32, 48, { ...options, norm: { activation: 'relu' } });
      const shortcut = () => new ConvNorm(16, 48, { kernel: 1 });
      for (const images of [1, 5]) {
        const [end, middle, projection] = [ofEnd, ofMiddle, shortcut].map((build) => {
          const conv = build()
            .to({ device, ...channelsLast })
            .eval();
          noGrad(() => conv.norm.runningMean.copy_(randn([48])));
          const reference = doubled(conv, build).eval();
          conv.fold();
          return { conv: conv.to(dtype), reference };
        }) as [Pair, Pair, Pair];
        const x = randn([images, 32, 10, 10], { device }).to({ dtype, ...channelsLast });
        const side = noGrad(() => middle.conv.forward(x)).shape.slice(2);
        const y = randn([images, 16, ...side], { device }).to({ dtype, ...channelsLast });
        const residual = randn([images, 48, ...side], { device }).to({ dtype, ...channelsLast });
        const results = (of: 'conv' | 'reference', type: Dtype) =>
          noGrad(() => [
            middle[of].forward(x.to(type)),
            end[of].forwardWithResidual(x.to(type), residual.to(type)),
            end[of].forwardWithShortcut(x.to(type), projection[of], y.to(type)),
          ]);
        const expected = results('reference', 'float64');
        results('conv', dtype).forEach((found, i) => {
          expectClose(found, expected[i]!, tolerance, `result ${i} of ${images} images`);
        });
      }
    },
  );

  const activations = ['identity', 'relu', 'silu', 'hardswish', 'gelu', { leakySlope: 0.1 }] as const;
  const activated = activations.flatMap((activation) =>
    [1, 3].flatMap((kernel) => precisions.map((precision) => ({ activation, kernel, ...precision }))),
  );
  test.each(activated)(
    'of $kernel pixels with $activation equals the composition in float64: $dtype',
    (given) => {
      const { activation, kernel, dtype, tolerance } = given;
      const build = () => new ConvNorm(32, 72, { kernel, padding: (kernel - 1) / 2, norm: { activation } });
      const conv = build()
        .to({ device, ...channelsLast })
        .eval();
      noGrad(() => conv.norm.runningMean.copy_(randn([72])));
      const reference = doubled(conv, build).eval();
      conv.fold();
      conv.to(dtype);
      for (const images of [1, 5]) {
        const x = randn([images, 32, 7, 9], { device }).to({ dtype, ...channelsLast });
        const [found, expected] = noGrad(() => [conv.forward(x), reference.forward(x.to('float64'))]);
        expectClose(found!, expected!, tolerance, `${images} images`);
      }
    },
  );

  test('gives the same bits in every call, captured or not', () => {
    const [end, projection] = [new ConvNorm(32, 48, around), new ConvNorm(16, 48, { kernel: 1 })].map(
      (conv) => {
        conv
          .to({ device, dtype: 'bfloat16', ...channelsLast })
          .eval()
          .fold();
        return conv;
      },
    ) as [ConvNorm, ConvNorm];
    const [x, y] = [32, 16].map((channels) =>
      keep(randn([4, channels, 10, 10], { device }).to({ dtype: 'bfloat16', ...channelsLast })),
    ) as [Tensor, Tensor];
    expectSameBits(() =>
      noGrad(() => [end.forwardWithShortcut(x, projection, y), end.forward(x), projection.forward(y)]),
    );
  });
});

interface Pair {
  readonly conv: ConvNorm;
  readonly reference: ConvNorm;
}

describeOnCuda('a network with fused blocks', () => {
  // Padded: 83 channels of tresnet-xl become 96, 166 become 176, 332 become 336.
  test.each(['tresnet-l', 'tresnet-xl', 'tresnet-s', 'resnet-18', 'resnet-50', 'densenet-121'] as const)(
    '%s equals the composition in float64',
    (name) => {
      const { network, reference } = filled(name);
      const x = randn([6, 3, 64, 64], { device }).to(channelsLast);
      const dy = randn([6, 5], { device });
      const results = (of: nn.Module & nn.Layer, dtype: Dtype) =>
        outputAndGradients((images) => of.forward(images), {
          x: x.to(dtype),
          dy: dy.to(dtype),
          parameters: of.parameters(),
        });
      const expected = results(reference, 'float64');
      // A few values near zero fall on the other side of a ReLU, which moves single gradients by more than rounding.
      results(network, 'float32').forEach((found, i) => {
        expect(cosine(found.to('float64'), expected[i]!), `result ${i}`).toBeGreaterThan(
          i === 0 ? 0.99999 : 0.99,
        );
      });
      const buffers = new Map<string, Tensor>(network.namedBuffers());
      for (const [entry, value] of reference.namedBuffers()) {
        if (entry.includes('running')) expectClose(buffers.get(entry)!, value, 1e-4, entry);
      }
      expectSameEvaluated(network, reference, x);
    },
  );

  // Trained, stochastic depth and dropout would differ.
  test.each(['efficientnetv2-s', 'mobilenetv3-l'] as const)(
    '%s, evaluated, equals the composition in float64',
    (name) => {
      const { network, reference } = filled(name);
      expectSameEvaluated(network, reference, randn([6, 3, 64, 64], { device }).to(channelsLast));
    },
  );
});

/** A network, and the same in float64. */
function filled(name: NetworkName) {
  const build = () => createNetwork(name, { classes: 5, inputSize: 64 });
  const network = build();
  fillByHash(network);
  network.to({ device, ...channelsLast });
  return { network, reference: doubled(network, build) };
}

/** Expects the same logits of a network and its reference in float64, also folded, of one image, and in half precision. */
function expectSameEvaluated(network: Network, reference: Network, x: Tensor): void {
  for (const module of [network, reference]) module.eval();
  const logits = noGrad(() => reference.forward(x.to('float64')));
  expectClose(
    noGrad(() => network.forward(x)),
    logits,
    1e-4,
    'evaluated',
  );
  const folded = foldBatchNorm(network);
  expectClose(
    noGrad(() => folded.forward(x)),
    logits,
    1e-4,
    'folded',
  );
  const ofOne = noGrad(() => folded.forward(x.narrow(0, 2, 1)));
  expectClose(ofOne, logits.narrow(0, 2, 1), 1e-4, 'of one image');
  const half = folded.to('bfloat16');
  expectClose(
    noGrad(() => half.forward(x.to('bfloat16'))),
    logits,
    0.05,
    'folded, bfloat16',
  );
}

type Activation = 'identity' | { readonly leakySlope: number };

interface Given {
  readonly dtype: 'float32' | 'float16' | 'bfloat16';
  readonly channels: number;
  readonly side: number;
  readonly activation: Activation;
  readonly hasResidual: boolean;
  readonly isExcited: boolean;
}

interface Problem {
  readonly norm: ActivatedBatchNorm;
  readonly se: SqueezeExcite;
  readonly x: Tensor;
  readonly residual: Tensor;
  readonly dy: Tensor;
}

function problem(given: Given): Problem {
  const { dtype, channels, side } = given;
  const norm = newNorm(given);
  noGrad(() => {
    norm.weight.copy_(randn([channels]));
    norm.weight.select(0, 0).fill_(0);
    norm.bias.copy_(randn([channels]));
  });
  const extra = paddedTo(channels) - channels;
  const [x, residual, dy] = [0, 1, 2].map(() => {
    const maps = randn([4, channels, side, side], { device }).to('bfloat16');
    return nn.functional.pad(maps, [0, 0, 0, 0, 0, extra]).to({ dtype, ...channelsLast });
  }) as [Tensor, Tensor, Tensor];
  return { norm, se: newExcitation(given), x, residual, dy };
}

/** The output, and the gradients of the input, of the residual and of all parameters. */
function resultsOf({ hasResidual, isExcited }: Given, { norm, se, x, residual, dy }: Problem): Tensor[] {
  const shortcut = residual.detach();
  shortcut.requiresGrad = true;
  const forward = (input: Tensor): Tensor => {
    if (input.dtype !== 'float64') {
      return isExcited
        ? norm.forwardExcited(input, se, hasResidual ? shortcut : null)
        : norm.forwardWithResidual(input, shortcut);
    }
    const normed = isExcited ? se.forward(norm.forward(input)) : norm.forward(input);
    return hasResidual ? normed.add(shortcut).relu() : normed;
  };
  const parameters = [
    ...(hasResidual ? [shortcut] : []),
    ...norm.parameters(),
    ...(isExcited ? se.parameters() : []),
  ];
  return outputAndGradients(forward, { x, dy, parameters });
}

function newNorm({ channels, activation }: Pick<Given, 'channels' | 'activation'>): ActivatedBatchNorm {
  return new ActivatedBatchNorm(channels, { activation, absoluteWeight: true }).to(device);
}

function newExcitation({ channels }: Pick<Given, 'channels'>): SqueezeExcite {
  return new SqueezeExcite(channels, { hidden: 16, activation: 'relu' }).to(device);
}

/** A copy in float64, which no kernel supports. */
function doubled<M extends nn.Module>(module: M, build: () => M): M {
  const copy = build().to({ device, dtype: 'float64' });
  copy.loadStateDict(module.stateDict());
  return copy;
}

function cosine(a: Tensor, b: Tensor): number {
  return a.mul(b).sum().div(a.square().sum().mul(b.square().sum()).sqrt()).toNumber();
}

function paddedTo(channels: number): number {
  return Math.ceil(channels / 16) * 16;
}
