// Layers that take another way on a GPU, against the same layers composed of libtorch's operators in float64.

import { type Dtype, nn, noGrad, randn, type Tensor } from '@anyclass/torch';
import { expect, test } from 'vitest';
import { expectClose } from '../../../test/closeTensors.js';
import { channelsLast, describeOnCuda, outputAndGradients } from '../../../test/onCuda.js';
import { PatchConv } from './patchConv.js';
import { SqueezeExcite, type SqueezeExciteOptions } from './squeezeExcite.js';

const device = 'cuda';

test('a convolution of patches is a convolution', () => {
  const conv = new PatchConv(3, 5, 4);
  const x = randn([2, 3, 9, 8]); // the last row is left over
  const expected = nn.functional.conv2d(x, conv.weight, conv.bias, 4);
  expect(conv.forward(x).equal(expected)).toBe(true);
});

describeOnCuda('squeeze-and-excitation', () => {
  test.each([
    { activation: 'silu', gate: 'sigmoid', channels: 24, side: 9 },
    { activation: 'relu', gate: 'hardsigmoid', channels: 72, side: 5 },
    { activation: 'relu', gate: 'sigmoid', channels: 1536, side: 7 },
  ] as const)('with $activation and $gate equals the composition', ({ channels, side, ...options }) => {
    const build = () =>
      new SqueezeExcite(channels, { hidden: 16, ...options } satisfies SqueezeExciteOptions);
    compare(build, [3, channels, side, side], [3, channels, side, side]);
  });
});

describeOnCuda('a convolution of patches', () => {
  test.each([
    [3, 16, 32],
    [8, 2, 6],
  ])('of %i channels and side %i equals the composition', (channels, side, size) => {
    const shape = [2, channels, size, size];
    compare(() => new PatchConv(channels, 24, side), shape, [2, 24, size / side, size / side]);
  });
});

describeOnCuda('attention of windows with a bias', () => {
  test('without gradients equals the composition', () => {
    const packed = randn([6, 49, 3, 4, 32], { device }).to('bfloat16');
    const bias = randn([1, 4, 49, 49], { device });
    const attend = (dtype: Dtype) => {
      const [q, k, v] = packed.to(dtype).transpose(1, 3).unbind(2);
      const options = { mask: bias.to('bfloat16').to(dtype), scale: 0.1 };
      return noGrad(() => nn.functional.scaledDotProductAttention(q!, k!, v!, options));
    };
    expectClose(attend('bfloat16'), attend('float64'), 0.02, 'attended');
  });
});

function compare<M extends nn.Module & nn.Layer>(
  build: () => M,
  shape: readonly number[],
  outputs: readonly number[],
): void {
  const layer = build().to({ device, ...channelsLast });
  const reference = build().to({ device, dtype: 'float64' });
  reference.loadStateDict(layer.stateDict());
  const x = randn(shape, { device }).to(channelsLast);
  const dy = randn(outputs, { device }).to(channelsLast);
  const results = (of: M, dtype: Dtype): Tensor[] =>
    outputAndGradients((maps) => of.forward(maps), {
      x: x.to(dtype),
      dy: dy.to(dtype),
      parameters: of.parameters(),
    });
  const expected = results(reference, 'float64');
  results(layer, 'float32').forEach((found, i) => {
    expectClose(found, expected[i]!, 5e-5, `result ${i}`);
  });
}
