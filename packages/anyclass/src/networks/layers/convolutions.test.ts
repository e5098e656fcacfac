import { type Dtype, keep, noGrad, randn, type Tensor, tensor, tidy } from '@anyclass/torch';
import { expect, test } from 'vitest';
import { expectClose } from '../../../test/closeTensors.js';
import { channelsLast, describeOnCuda, expectSameBits, outputAndGradients } from '../../../test/onCuda.js';
import { createNetwork } from '../createNetwork.js';
import { foldBatchNorm } from '../foldBatchNorm.js';
import { DepthwiseConv } from './depthwiseConv.js';
import { PointwiseConv } from './pointwiseConv.js';
import { convolveHalved, StemConv } from './stemConv.js';
import { TensorflowConv } from './tensorflowConv.js';

const device = 'cuda';

test('each kind of convolution refuses options that it does not support', () => {
  expect(() => new DepthwiseConv(8, 8, { kernel: 5, padding: 1, groups: 8 })).toThrow('expected kernel 3');
  expect(() => new PointwiseConv(8, 8, { kernel: 3 })).toThrow('expected kernel 1');
  expect(() => new StemConv(3, 8, { kernel: 7, stride: 2 })).toThrow('padding 3');
});

test.each([1, 3, 4, 5])('a 7x7 convolution of %i channels on squares of pixels equals itself', (channels) => {
  const conv = new StemConv(channels, 8, { kernel: 7, stride: 2, padding: 3 }).to({ dtype: 'float64' });
  const x = randn([2, channels, 10, 14]).to({ dtype: 'float64', ...channelsLast });
  const { weight, bias } = conv;
  const parameters = [weight, bias!];
  const dy = randn([2, 8, 5, 7]).to('float64');
  const expected = outputAndGradients((input) => conv.forward(input), { x, dy, parameters });
  const found = outputAndGradients((input) => convolveHalved(input, weight, bias), { x, dy, parameters });
  found.forEach((result, i) => {
    expectClose(result, expected[i]!, 1e-12, `result ${i}`);
  });
});

test("TensorFlow's padding puts the extra cell of even maps last; odd maps are padded at both sides", () => {
  const conv = new TensorflowConv(1, 1, { kernel: 3, stride: 2, bias: false });
  noGrad(
    () =>
      void conv.weight.copy_(
        tensor([
          [
            [
              [1, 0, 0],
              [0, 0, 0],
              [0, 0, 0],
            ],
          ],
        ]),
      ),
  );
  const firstRow = (side: number) =>
    tidy(() => {
      const cells = Float32Array.from({ length: side ** 2 }, (_, i) => i + 1);
      return noGrad(() => conv.forward(tensor(cells, { shape: [1, 1, side, side] })).toFloat32Array());
    });
  expect([...firstRow(4)]).toEqual([1, 3, 9, 11]);
  expect([...firstRow(3)]).toEqual([0, 0, 0, 5]);
});

test("EfficientNet with TensorFlow's padding folds", () => {
  const options = { classes: 3, inputSize: 64, padding: 'tensorflow' } as const;
  using network = createNetwork('efficientnetv2-s', options).eval();
  using folded = foldBatchNorm(network);
  using images = randn([2, 3, 64, 64]);
  tidy(() => noGrad(() => expectClose(folded.forward(images), network.forward(images), 1e-4, 'logits')));
});

test('a depthwise convolution can be followed by GELU', () => {
  const conv = depthwise(4, 1, true);
  const x = randn([1, 4, 5, 5]);
  const plain = conv.forward(x);
  const activated = conv.activateWithGelu().forward(x);
  expect(activated.gt(-0.18).all().toNumber()).toBe(1);
  expect(activated.equal(plain)).toBe(false);
});

describeOnCuda('convolutions on channels-last maps', () => {
  const maps = [
    { dtype: 'float32', shape: [3, 8, 7, 7], stride: 1, tolerance: 2e-5 },
    { dtype: 'bfloat16', shape: [4, 384, 14, 14], stride: 1, tolerance: 2 ** -7 },
    { dtype: 'bfloat16', shape: [4, 384, 28, 28], stride: 2, tolerance: 2 ** -7 },
    { dtype: 'float16', shape: [2, 68, 9, 13], stride: 2, tolerance: 2 ** -9 },
    { dtype: 'float32', shape: [2, 132, 13, 8], stride: 2, tolerance: 2e-5 },
    { dtype: 'float32', shape: [5, 4, 1, 3], stride: 1, tolerance: 2e-5 },
  ] as const;

  test.each(maps)('depthwise equals libtorch in float64: $dtype $shape, stride $stride', (given) => {
    const conv = depthwise(given.shape[1], given.stride, false).to(device);
    expectReference(conv, depthwise(given.shape[1], given.stride, false), [...given.shape], given);
  });

  test.each(['float32', 'bfloat16'] as const)('a stem of 7x7 equals libtorch in float64: %s', (dtype) => {
    const build = () => new StemConv(3, 64, { kernel: 7, stride: 2, padding: 3 });
    const tolerance = dtype === 'float32' ? 2e-5 : 2 ** -6;
    expectReference(build().to({ device, dtype, ...channelsLast }), build(), [4, 3, 30, 22], {
      dtype,
      tolerance,
    });
  });

  test('depthwise with GELU equals libtorch in float64', () => {
    for (const { dtype, shape, stride, tolerance } of maps) {
      const conv = depthwise(shape[1], stride, true).to(device).activateWithGelu().requireGrad(false);
      const reference = depthwise(shape[1], stride, true).to({ device, dtype: 'float64' }).activateWithGelu();
      reference.loadStateDict(conv.stateDict());
      const x = randn([...shape], { device }).to({ dtype, ...channelsLast });
      noGrad(() => expectClose(conv.forward(x), reference.forward(x.to('float64')), tolerance, 'output'));
    }
  });

  test.each([true, false])('pointwise equals libtorch in float64, with bias: %s', (bias) => {
    const make = () => new PointwiseConv(24, 40, { kernel: 1, bias });
    expectReference(make().to(device), make(), [3, 24, 7, 5], { dtype: 'float32', tolerance: 1e-5 });
  });

  test('outputs stay in channels-last memory', () => {
    const x = randn([2, 8, 6, 6], { device }).to(channelsLast);
    const convs = [depthwise(8, 1, false), new PointwiseConv(8, 12, { kernel: 1 })];
    for (const conv of convs) expect(conv.to(device).forward(x).isContiguous('channelsLast')).toBe(true);
  });

  test('depthwise gives the same bits in every call, captured or not', () => {
    const conv = depthwise(64, 1, false).to(device);
    const [x, dy] = [0, 1].map(() =>
      keep(tidy(() => randn([32, 64, 14, 14], { device }).to({ dtype: 'bfloat16', ...channelsLast }))),
    );
    expectSameBits(() => resultsOf(conv, x!, dy!));
  });
});

function depthwise(channels: number, stride: number, bias: boolean): DepthwiseConv {
  return new DepthwiseConv(channels, channels, { kernel: 3, padding: 1, groups: channels, stride, bias });
}

type Convolution = DepthwiseConv | PointwiseConv;

function expectReference(
  conv: Convolution,
  reference: Convolution,
  shape: number[],
  { dtype, tolerance }: { readonly dtype: Dtype; readonly tolerance: number },
): void {
  reference.to({ device, dtype: 'float64' }).loadStateDict(conv.stateDict());
  const x = randn(shape, { device }).to({ dtype, ...channelsLast });
  const dy = noGrad(() => randn(reference.forward(x.to('float64')).shape, { device })).to({
    dtype,
    ...channelsLast,
  });
  const expected = resultsOf(reference, x.to('float64'), dy.to('float64'));
  resultsOf(conv, x, dy).forEach((found, i) => {
    expectClose(found, expected[i]!, tolerance, `result ${i}`);
  });
}

/** Returns the output, and the gradients of the input and all parameters. */
function resultsOf(conv: Convolution, x: Tensor, dy: Tensor): Tensor[] {
  return outputAndGradients((input) => conv.forward(input), { x, dy, parameters: conv.parameters() });
}
