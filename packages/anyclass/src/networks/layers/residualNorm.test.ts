import { autocast, type Dtype, grad, keep, nn, noGrad, randn, type Tensor } from '@anyclass/torch';
import { expect, test } from 'vitest';
import { expectClose } from '../../../test/closeTensors.js';
import { describeOnCuda, expectSameBits, leafOf } from '../../../test/onCuda.js';
import { LayerNorm } from './layerNorm.js';
import {
  addBranch,
  type Branch,
  type ResidualNormOptions,
  residualNorm,
  throughSteps,
} from './residualNorm.js';
import { cutIntoSquares } from './squares.js';

const device = 'cuda';
const window7 = { axis: 'window', side: 7 } as const;
const grid7 = { axis: 'grid', side: 7 } as const;
const shifted7 = { axis: 'window', side: 7, shift: 3 } as const;
const shifted2 = { axis: 'grid', side: 2, shift: 3 } as const;

test('the norm applies to the sum of stream and branch', () => {
  const norm = new LayerNorm(16);
  const [stream, values] = [randn([2, 5, 16]), randn([2, 5, 16])];
  const { sum, normed } = residualNorm(norm, stream, { branch: { values } });
  expect(sum.equal(stream.add(values))).toBe(true);
  expect(normed.equal(norm.forward(sum))).toBe(true);
});

test('a shift is added to each channel for the norm alone', () => {
  const [norm, stream, shift] = [new LayerNorm(16), randn([2, 5, 16]), randn([16])];
  const { sum, normed } = residualNorm(norm, stream, { shift });
  expect(sum).toBe(stream);
  expect(normed.equal(norm.forward(stream.add(shift)))).toBe(true);
});

test.each([window7, grid7, shifted7])(
  'a branch in squares ($axis) is added at the pixels it came from',
  (squares) => {
    const map = randn([2, 14, 21, 8]);
    const values = cutIntoSquares(map, squares);
    expect(addBranch(map, { values, squares }).equal(map.mul(2))).toBe(true);
    const { sum, normed } = residualNorm(new LayerNorm(8), map, { squares });
    expect(sum.equal(map)).toBe(true);
    expect(normed.shape).toEqual([12, 49, 8]);
  },
);

test('a map that squares do not divide is refused', () => {
  const message = 'a feature map of 8x14 px cannot be divided into squares of 7x7';
  expect(() => residualNorm(new LayerNorm(8), randn([1, 8, 14, 8]), { squares: window7 })).toThrow(message);
});

test('steps free the intermediate streams and branches, but not the input', () => {
  const double = { step: ({ stream }: { stream: Tensor }) => step(stream) };
  const seen: Tensor[] = [];
  const step = (stream: Tensor) => {
    seen.push(stream);
    return { stream: stream.mul(2), branch: { values: stream.mul(3) } };
  };
  const { stream, branch } = throughSteps([double, double, double], randn([1, 4]));
  expect(seen.map((tensor) => tensor.isDisposed)).toEqual([false, true, true]);
  expect([stream.isDisposed, branch?.values.isDisposed]).toEqual([false, false]);
});

describeOnCuda('the fused residual norm', () => {
  const cases: readonly { dtype: 'float32' | 'float16' | 'bfloat16'; shape: number[]; options: Places }[] = [
    { dtype: 'float32', shape: [3, 5, 96], options: {} },
    { dtype: 'float32', shape: [3, 7, 768], options: { branch: {} } },
    { dtype: 'bfloat16', shape: [5, 197, 768], options: { branch: {} } },
    { dtype: 'bfloat16', shape: [2, 14, 14, 96], options: { branch: {}, squares: grid7 } },
    { dtype: 'bfloat16', shape: [2, 14, 21, 192], options: { branch: { squares: window7 } } },
    { dtype: 'float16', shape: [2, 21, 14, 384], options: { branch: { squares: grid7 } } },
    { dtype: 'float32', shape: [2, 28, 28, 64], options: { squares: window7 } },
    { dtype: 'float32', shape: [4, 3, 8], options: { branch: {} } },
    { dtype: 'float32', shape: [3, 14, 21, 96], options: { branch: { squares: shifted7 } } },
    { dtype: 'bfloat16', shape: [2, 7, 14, 96], options: { branch: {}, squares: shifted7 } },
    {
      dtype: 'bfloat16',
      shape: [2, 14, 14, 96],
      options: { branch: { squares: shifted2 }, squares: shifted2 },
    },
  ];

  test.each(cases)('equals the composition in float64: $dtype $shape $options', (given) => {
    const { dtype, shape, options } = given;
    const { norm, inputs, gradients } = problem(shape, dtype, options);
    const reference = new LayerNorm(shape.at(-1) ?? 1).to({ device, dtype: 'float64' });
    reference.loadStateDict(norm.stateDict());
    const found = resultsOf(norm, inputs, gradients, options);
    const expected = resultsOf(
      reference,
      inputs.map((input) => input.to('float64')),
      gradients.map((gradient) => gradient.to('float64')),
      options,
    );
    const tolerance = { float32: 2e-5, float16: 2 ** -9, bfloat16: 2 ** -6 }[dtype];
    found.forEach((result, i) => {
      expectClose(result, expected[i]!, tolerance, `result ${i}`);
    });
  });

  test("a float32 stream gives half-precision tokens under autocast, and gradients in their tensors' dtypes", () => {
    const norm = new LayerNorm(64).to(device);
    const stream = leafOf(randn([3, 9, 64], { device }));
    const values = leafOf(randn([3, 9, 64], { device }).to('bfloat16'));
    const { sum, normed } = autocast(() => residualNorm(norm, stream, { branch: { values } }), { device });
    expect([sum.dtype, normed.dtype]).toEqual(['float32', 'bfloat16']);
    const found = grad([sum, normed], [stream, values], {
      gradients: [sum.detach(), normed.detach()],
    });
    expect(found.map((gradient) => gradient?.dtype)).toEqual(['float32', 'bfloat16']);
    expectClose(found[1]!, found[0]!, 2 ** -8, 'branch gradient');
  });

  test('stochastic depth multiplies whole images by 0 or 1 / survival, both forward and backward', () => {
    const stochasticDepth = new nn.StochasticDepth(0.5);
    const norm = new LayerNorm(8).to(device);
    const [stream, values] = [randn([64, 3, 8], { device }), leafOf(randn([64, 3, 8], { device }))];
    const { sum } = residualNorm(norm, stream, { branch: { values, stochasticDepth } });
    const [gradient] = grad([sum.sum()], [values]);
    const factors = gradient!.select(2, 0).select(1, 0);
    expect(new Set(factors.toArray() as number[])).toEqual(new Set([0, 2]));
    expectClose(sum, stream.add(values.mul(gradient!)), 1e-6, 'sum');
  });

  test('adds a shift of the channels, if nothing asks for gradients', () => {
    const norm = new LayerNorm(96).to(device);
    const [stream, values] = [0, 1].map(() => randn([3, 14, 14, 96], { device }).to('bfloat16')) as [
      Tensor,
      Tensor,
    ];
    const shift = randn([96], { device });
    for (const branch of [undefined, { values }]) {
      const { normed } = noGrad(() => residualNorm(norm, stream, { branch, shift }));
      const sum = stream.to('float64').add(shift.to('bfloat16'));
      const expected = new LayerNorm(96)
        .to({ device, dtype: 'float64' })
        .forward(branch ? sum.add(values) : sum);
      expectClose(normed, expected, 2 ** -5, 'normed');
    }
    expect(() => residualNorm(norm, stream, { shift })).toThrow('no gradient of a shift');
  });

  test('gives the same bits in every call, captured or not', () => {
    const { norm, inputs, gradients } = problem([64, 49, 96], 'bfloat16', { branch: {} });
    const kept = [...inputs, ...gradients].map((tensor) => keep(tensor));
    expectSameBits(() => resultsOf(norm, kept.slice(0, 2), kept.slice(2), { branch: {} }));
  });
});

interface Places {
  readonly branch?: Omit<Branch, 'values'>;
  readonly squares?: Branch['squares'];
}

function problem(shape: number[], dtype: Dtype, { branch, squares }: Places) {
  const norm = new LayerNorm(shape.at(-1) ?? 1).to(device);
  noGrad(() => {
    norm.weight!.copy_(randn(norm.weight!.shape));
    norm.bias!.copy_(randn(norm.bias!.shape));
  });
  const cut = (x: Tensor, into: Branch['squares']) => (into ? cutIntoSquares(x, into) : x);
  const random = () => randn(shape, { device }).to('bfloat16').to(dtype);
  const inputs = [random().add(1), ...(branch ? [cut(random(), branch.squares)] : [])];
  const gradients = [random(), cut(random(), squares)];
  return { norm, inputs, gradients };
}

/** Returns the sum and the norm, and the gradients of stream, branch, weight and bias. */
function resultsOf(
  norm: LayerNorm,
  inputs: readonly Tensor[],
  gradients: readonly Tensor[],
  { branch, squares }: Places,
): Tensor[] {
  const [stream, values] = inputs.map(leafOf);
  const options: ResidualNormOptions = { branch: values && { values, ...branch }, squares };
  const { sum, normed } = residualNorm(norm, stream!, options);
  const of = [stream!, ...(values ? [values] : []), norm.weight!, norm.bias!];
  const found = grad([sum, normed], of, { gradients: [...gradients] });
  return [sum.detach(), normed.detach(), ...found.map((gradient) => gradient!)];
}
