// Which way blocks take on a GPU, without one: the kernels are written in libtorch's operators here. Replaces modules, so this file has a process of
// its own. `fusedBlocks.test.ts` tries the kernels themselves.

import { type Dtype, noGrad, randn, type Tensor, tidy } from '@anyclass/torch';
import { describe, expect, test, vi } from 'vitest';
import { expectClose } from '../../../test/closeTensors.js';
import { channelsLast, outputAndGradients } from '../../../test/onCuda.js';
import { fillByHash } from '../../verify/index.js';
import { createNetwork } from '../createNetwork.js';
import { foldBatchNorm } from '../foldBatchNorm.js';
import { countMultiplyAdds } from '../multiplyAdds.js';
import type { Network } from '../network.js';
import { ConvNorm } from './convNorm.js';

const gpu = vi.hoisted(() => ({ isOn: false, calls: [] as string[] }));

vi.mock('@anyclass/torch', async (original) => {
  const torch = await original<typeof import('@anyclass/torch')>();
  const { functional } = torch.nn;
  const cudnnConvolutionAddRelu: typeof functional.cudnnConvolutionAddRelu = (...given) => {
    const [maps, weight, residual, alpha, bias, stride, padding, dilation, groups] = given;
    gpu.calls.push('cudnn_convolution_add_relu');
    expect([alpha, bias?.dtype, residual.dtype]).toEqual([1, weight.dtype, weight.dtype]);
    return functional.conv2d(maps, weight, bias, stride, padding, dilation, groups).add_(residual).relu_();
  };
  return { ...torch, nn: { ...torch.nn, functional: { ...functional, cudnnConvolutionAddRelu } } };
});

vi.mock('./gpuOperator.js', async () => {
  const torch = await import('@anyclass/torch');
  const ofChannels = (values: Tensor, maps: Tensor) =>
    torch.nn.functional.pad(values, [0, maps.shape[1]! - values.numel]).view([1, -1, 1, 1]);
  const leaky = (maps: Tensor, slope: number) => (slope === 1 ? maps : maps.maximum(maps.mul(slope)));
  const checked = (maps: Tensor, like = maps) => {
    expect(maps.isContiguous('channelsLast')).toBe(true);
    expect([maps.shape, maps.dtype]).toEqual([like.shape, like.dtype]);
  };
  const normed = (
    maps: Tensor,
    [weight, bias, mean, variance, batches]: Tensor[],
    [momentum, eps]: number[],
  ) => {
    torch.noGrad(() => batches!.add_(1));
    return torch.nn.functional.batchNorm(maps, weight!, bias!, mean!, variance!, true, momentum!, eps!, true);
  };
  /** A norm's five tensors and its counters, then three numbers. */
  type NormArguments = [Tensor, Tensor, Tensor, Tensor, Tensor, Tensor, number, number, number];
  const operators: Record<string, (...given: never[]) => Tensor[]> = {
    affine_excite_(
      maps: Tensor,
      scale: Tensor | null,
      shift: Tensor,
      slope: number,
      excitation: Tensor | null,
      residual: Tensor | null,
    ) {
      checked(maps);
      expect([maps.shape[1]! % 8, excitation]).toEqual([0, null]);
      if (residual) checked(residual, maps);
      const shifted = (scale ? maps.mul(ofChannels(scale, maps)) : maps).add(ofChannels(shift, maps));
      const result = leaky(shifted, slope);
      maps.copy_(residual ? result.add(residual).relu() : result);
      return [];
    },
    activated_batch_norm(
      maps: Tensor,
      ...[w, b, mean, variance, batches, , momentum, eps, slope]: NormArguments
    ) {
      checked(maps);
      return [leaky(normed(maps, [w, b, mean, variance, batches], [momentum, eps]), slope)];
    },
    residual_batch_norm(
      maps: Tensor,
      residual: Tensor,
      ...[w, b, mean, variance, batches, , momentum, eps]: NormArguments
    ) {
      checked(residual, maps);
      return [normed(maps, [w, b, mean, variance, batches], [momentum, eps]).add(residual).relu()];
    },
  };
  return {
    isForKernels: (maps: Tensor) => gpu.isOn && ['float32', 'float16', 'bfloat16'].includes(maps.dtype),
    gpuOperator: (name: string) => () => {
      const operator = operators[name];
      if (!operator) return null;
      return (...given: unknown[]) => {
        gpu.calls.push(name);
        return operator(...(given as never[]));
      };
    },
  };
});

// Stems add in another order, which has a test of its own, and ReLUs make much of the last bit.
vi.mock('./stemConv.js', async (original) => {
  const torch = await import('@anyclass/torch');
  const { StemConv } = await original<typeof import('./stemConv.js')>();
  class PlainStem extends StemConv {
    override convolve(input: Tensor, bias: Tensor | null): Tensor {
      return torch.nn.functional.conv2d(input, this.weight, bias, 2, 3);
    }
  }
  return { StemConv: PlainStem };
});

/** The kernels that are called while something runs, and how often each. */
function callsOf(run: () => void): Record<string, number> {
  gpu.calls.length = 0;
  run();
  const counts: Record<string, number> = {};
  for (const name of gpu.calls) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}

/** Computes with the kernels. */
function fused<T>(run: () => T): T {
  gpu.isOn = true;
  try {
    return run();
  } finally {
    gpu.isOn = false;
  }
}

function filled(name: 'resnet-18' | 'resnet-50', channels = 3): Network {
  const network = createNetwork(name, { classes: 5, inputSize: 64, channels });
  fillByHash(network, { negativeNormWeights: true });
  return network.to(channelsLast);
}

describe('a ResNet with the kernels', () => {
  // 16 ends of blocks and 37 other norms, of which 4 are shortcuts.
  test.each([
    ['resnet-50', { residual_batch_norm: 16, activated_batch_norm: 37 }],
    ['resnet-18', { residual_batch_norm: 8, activated_batch_norm: 12 }],
  ] as const)('%s trains as without', (name, expectedCalls) => {
    const [one, other] = [filled(name), filled(name)];
    const x = randn([4, 3, 64, 64]).to(channelsLast);
    const dy = randn([4, 5]);
    const results = (network: Network) =>
      outputAndGradients((images) => network.forward(images), { x, dy, parameters: network.parameters() });
    const expected = results(one);
    let found: Tensor[] = [];
    const calls = callsOf(() => {
      found = fused(() => results(other));
    });
    expect(calls).toEqual(expectedCalls);
    found.forEach((result, i) => {
      expectClose(result, expected[i]!, 1e-4, `result ${i}`);
    });
    const buffers = new Map<string, Tensor>(one.namedBuffers());
    for (const [entry, value] of other.namedBuffers()) expectClose(value, buffers.get(entry)!, 1e-5, entry);
  });

  test.each([1, 3])('folded, it gives the same logits of %i images', (images) => {
    using network = filled('resnet-50').eval();
    using folded = foldBatchNorm(network);
    const x = randn([images, 3, 64, 64]).to(channelsLast);
    const logits = (of: Network, dtype: Dtype) => tidy(() => noGrad(() => of.forward(x.to(dtype))));
    const expected = logits(network, 'float32');
    const inFloat32 = callsOf(() =>
      expectClose(
        fused(() => logits(folded, 'float32')),
        expected,
        1e-5,
        'float32',
      ),
    );
    // Shortcuts leave their shifts to the ends of their blocks, and in half precision 1x1 convolutions are products.
    expect(inFloat32).toEqual({ affine_excite_: 49 });
    folded.to('bfloat16');
    const inHalf = callsOf(() =>
      expectClose(
        fused(() => logits(folded, 'bfloat16')),
        expected,
        0.1,
        'bfloat16',
      ),
    );
    expect(inHalf).toEqual({ affine_excite_: 17, cudnn_convolution_add_relu: 16 });
    expectClose(
      fused(() => logits(folded.to('float32'), 'float32')),
      expected,
      0.1,
      'moved back',
    );
  });

  test.each([
    ['densenet-121', {}],
    ['efficientnetv2-s', {}],
    ['efficientnetv2-s', { padding: 'tensorflow' }],
    ['mobilenetv3-l', {}],
    ['maxvit-t', { partitionSize: 2 }],
  ] as const)('%s %o, folded, gives the same logits', (name, options) => {
    const network = createNetwork(name, { classes: 5, inputSize: 64, ...options });
    fillByHash(network, { negativeNormWeights: true });
    using folded = foldBatchNorm(network.to(channelsLast).eval());
    const x = randn([2, 3, 64, 64]).to(channelsLast);
    const logits = (dtype: Dtype) => noGrad(() => folded.forward(x.to(dtype)));
    const expected = logits('float32');
    expectClose(
      fused(() => logits('float32')),
      expected,
      1e-5,
      'float32',
    );
    folded.to('bfloat16');
    expectClose(
      fused(() => logits('bfloat16')),
      expected,
      0.1,
      'bfloat16',
    );
  });

  test('a DenseNet overwrites its joined maps, and not those that later layers need', () => {
    const network = createNetwork('densenet-121', { classes: 5, inputSize: 64 });
    fillByHash(network);
    using folded = foldBatchNorm(network.to(channelsLast).eval());
    const x = randn([2, 3, 64, 64]).to(channelsLast);
    const logits = (dtype: Dtype) => noGrad(() => folded.forward(x.to(dtype)));
    // 58 layers, 3 transitions and the last norm; the stem, and in float32 the 1x1 convolutions of the layers.
    expect(callsOf(() => void fused(() => logits('float32')))).toEqual({ affine_excite_: 62 + 59 });
    folded.to('bfloat16');
    expect(callsOf(() => void fused(() => logits('bfloat16')))).toEqual({ affine_excite_: 62 + 1 });
    expect(fused(() => countMultiplyAdds(folded))).toBe(countMultiplyAdds(folded));
  });

  test('gray images, whose layout is ambiguous, leave the stem to libtorch', () => {
    using folded = foldBatchNorm(filled('resnet-18', 1).eval());
    const x = randn([2, 1, 64, 64]);
    const logits = () => noGrad(() => folded.forward(x));
    const expected = logits();
    expect(callsOf(() => expectClose(fused(logits), expected, 1e-5, 'logits'))).toEqual({
      affine_excite_: 16,
    });
  });

  test('with gradients in evaluation, nothing is fused', () => {
    using folded = foldBatchNorm(filled('resnet-18').eval());
    const x = randn([2, 3, 64, 64]).to(channelsLast);
    const results = () =>
      outputAndGradients((images) => folded.forward(images), { x, dy: randn([2, 5]), parameters: [] });
    expect(callsOf(() => void fused(results))).toEqual({});
  });

  test('layers that are watched are called', () => {
    using network = filled('resnet-50').eval();
    using folded = foldBatchNorm(network);
    expect(fused(() => countMultiplyAdds(folded))).toBe(countMultiplyAdds(network));
    expect(fused(() => countMultiplyAdds(network))).toBe(countMultiplyAdds(network));
  });
});

describe('a folded convolution with the kernels', () => {
  const around = { kernel: 3, padding: 1 } as const;
  test.each([
    { title: 'a stride', options: { ...around, stride: 2 } },
    { title: 'a stride of each side', options: { ...around, stride: [2, 1] } },
    { title: 'dilation', options: { kernel: 3, padding: 2, dilation: 2 } },
    { title: 'groups', options: { ...around, groups: 4 } },
    { title: 'padding to the same size', options: { kernel: 3, padding: 'same' } },
    { title: 'reflected padding', options: { ...around, paddingMode: 'reflect' } },
    { title: '12 outputs', options: around, outputs: 12 },
    { title: 'a curved activation', options: { ...around, norm: { activation: 'silu' } } },
  ] as const)('equals itself with $title', ({ options, ...others }) => {
    const outputs = 'outputs' in others ? others.outputs : 16;
    const conv = new ConvNorm(8, outputs, { norm: { activation: 'relu' }, ...options })
      .to(channelsLast)
      .eval();
    noGrad(() => void conv.norm.runningMean.copy_(randn([outputs])));
    conv.fold();
    const x = randn([2, 8, 10, 10]).to(channelsLast);
    const forward = () => noGrad(() => conv.forward(x));
    const expected = forward();
    expectClose(fused(forward), expected, 1e-6, 'maps');
  });

  const activations = ['identity', 'relu', 'silu', 'hardswish', 'gelu', { leakySlope: 0.1 }] as const;
  test.each(activations)('equals itself with a kernel of one pixel and %o', (activation) => {
    const conv = new ConvNorm(16, 24, { kernel: 1, norm: { activation } }).to(channelsLast).eval();
    noGrad(() => void conv.norm.runningMean.copy_(randn([24])));
    conv.fold();
    const x = randn([3, 16, 5, 7]).to(channelsLast);
    const forward = () => noGrad(() => conv.forward(x.to(conv.parameters()[0]!.dtype)));
    const expected = forward();
    expectClose(fused(forward), expected, 1e-6, 'float32');
    conv.to('bfloat16');
    const found = fused(forward);
    expectClose(found, expected, 2 ** -6, 'bfloat16');
    expect([found.shape, found.isContiguous('channelsLast')]).toEqual([expected.shape, true]);
  });

  test('of padded maps stays padded with a kernel of one pixel', () => {
    const conv = new ConvNorm(16, 20, { kernel: 1, padded: true })
      .to({ dtype: 'bfloat16', ...channelsLast })
      .eval();
    conv.fold();
    const x = randn([2, 16, 5, 5]).to({ dtype: 'bfloat16', ...channelsLast });
    expect(fused(() => noGrad(() => conv.forward(x))).shape).toEqual([2, 32, 5, 5]);
  });

  test('adds a residual of another type', () => {
    const conv = new ConvNorm(8, 8, { kernel: 1 }).to(channelsLast).eval();
    conv.fold();
    const [x, residual] = [randn([2, 8, 5, 5]).to(channelsLast), randn([2, 8, 5, 5]).to(channelsLast)];
    const sum = (of: Tensor) => noGrad(() => conv.forwardWithResidual(x, of));
    const expected = sum(residual);
    expectClose(
      fused(() => sum(residual.to('bfloat16'))),
      expected,
      0.02,
      'maps',
    );
  });
});
