import { type Dtype, keep, noGrad, randn, type Tensor } from '@anyclass/torch';
import { expect, test } from 'vitest';
import { expectClose } from '../../../test/closeTensors.js';
import { channelsLast, describeOnCuda, expectSameBits, outputAndGradients } from '../../../test/onCuda.js';
import { ActivatedBatchNorm, type ActivatedBatchNormOptions } from './activatedBatchNorm.js';
import { isFusable } from './fusedActivatedBatchNorm.js';

const device = 'cuda';

test('maps on the CPU use the composed version', () => {
  const norm = new ActivatedBatchNorm(8);
  expect(isFusable(randn([2, 8, 4, 4]).to(channelsLast), norm.weight)).toBe(false);
});

describeOnCuda('the fused norm', () => {
  test('supports channels-last maps of 32 bits or fewer, and no others', () => {
    const norm = new ActivatedBatchNorm(8).to(device);
    const maps = randn([2, 8, 4, 4], { device });
    expect(isFusable(maps.to(channelsLast), norm.weight)).toBe(true);
    expect(isFusable(maps.to({ dtype: 'bfloat16', ...channelsLast }), norm.weight)).toBe(true);
    expect(isFusable(maps, norm.weight)).toBe(false);
    expect(isFusable(maps.to({ dtype: 'float64', ...channelsLast }), norm.weight)).toBe(false);
    expect(isFusable(randn([1, 8, 1, 1], { device }), norm.weight)).toBe(false);
  });

  // 76 and 83 channels fill 16 bytes only across several pixels; 105 pixels do not allow that.
  test.each([
    { dtype: 'float32', shape: [8, 76, 7, 7], activation: { leakySlope: 0.01 }, tolerance: 2e-5 },
    { dtype: 'bfloat16', shape: [8, 76, 7, 7], activation: { leakySlope: 0.01 }, tolerance: 2 ** -8 },
    { dtype: 'float16', shape: [8, 83, 6, 6], activation: 'relu', tolerance: 2 ** -10 },
    { dtype: 'bfloat16', shape: [5, 83, 7, 3], activation: 'identity', tolerance: 2 ** -8 },
    { dtype: 'float32', shape: [2, 1216, 5, 5], activation: 'gelu', tolerance: 2e-5 },
    { dtype: 'bfloat16', shape: [8, 96, 14, 14], activation: 'gelu', tolerance: 2 ** -8 },
    { dtype: 'float16', shape: [5, 83, 7, 3], activation: 'gelu', tolerance: 2 ** -10 },
  ] as const)('equals the composition in float64: $dtype, $shape, $activation', (given) => {
    const { dtype, shape, activation, tolerance } = given;
    const { norm, x, dy } = problem([...shape], dtype, { activation, absoluteWeight: true });
    const reference = copyOf(norm, { activation, absoluteWeight: true });
    const plain = copyOf(norm, { activation: 'identity', absoluteWeight: true });
    // Near zero, either side may be right within float32 accuracy.
    const isClear = noGrad(() => plain.forward(x.to('float64')).abs().gt(1e-4));
    const gradient = dy.mul(isClear.to(dy));
    const expected = resultsOf(reference, x.to('float64'), gradient.to('float64'));
    resultsOf(norm, x, gradient).forEach((found, i) => {
      expectClose(found, expected[i]!, tolerance, `result ${i}`);
    });
  });

  test('gives the same bits in every call, captured or not', () => {
    const options = { activation: { leakySlope: 0.01 }, absoluteWeight: true };
    const { norm, x, dy } = problem([16, 76, 14, 14], 'bfloat16', options);
    const [input, gradient] = [keep(x), keep(dy)];
    expectSameBits(() => resultsOf(norm, input, gradient).slice(0, 4));
  });
});

function problem(shape: number[], dtype: Dtype, options: ActivatedBatchNormOptions) {
  const channels = shape[1] ?? 0;
  const norm = new ActivatedBatchNorm(channels, options).to(device);
  noGrad(() => {
    norm.weight.copy_(randn([channels]));
    norm.weight.select(0, 0).fill_(0);
    norm.bias.copy_(randn([channels]));
  });
  const [x, dy] = [2, 0.2].map((mean) => randn(shape, { device }).add(mean).to('bfloat16'));
  return { norm, x: x!.to({ dtype, ...channelsLast }), dy: dy!.to({ dtype, ...channelsLast }) };
}

function copyOf(norm: ActivatedBatchNorm, options: ActivatedBatchNormOptions): ActivatedBatchNorm {
  const copy = new ActivatedBatchNorm(norm.weight.numel, options).to({ device, dtype: 'float64' });
  copy.loadStateDict(norm.stateDict());
  return copy;
}

/** Returns the output, the gradients of input, weight and bias, and the running statistics. */
function resultsOf(norm: ActivatedBatchNorm, x: Tensor, dy: Tensor): Tensor[] {
  const parameters = [norm.weight, norm.bias];
  const results = outputAndGradients((input) => norm.forward(input), { x, dy, parameters });
  return [...results, norm.runningMean, norm.runningVar];
}
