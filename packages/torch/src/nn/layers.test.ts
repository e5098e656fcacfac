import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { onEachDevice } from '../../test/devices.js';
import { gradcheckInput, gradientError } from '../../test/gradcheck.js';
import { keep, type Tensor, tensor, tidy } from '../index.js';
import {
  AdaptiveAvgPool2d,
  AvgPool2d,
  BatchNorm2d,
  Conv2d,
  Dropout,
  Embedding,
  Flatten,
  GELU,
  type Layer,
  LayerNorm,
  LeakyReLU,
  Linear,
  MaxPool2d,
  MultiheadAttention,
  ReLU,
  Sequential,
  Sigmoid,
  SiLU,
  Softmax,
  StochasticDepth,
  Tanh,
} from './index.js';

interface Values {
  readonly shape: number[];
  readonly values: number[];
}

interface Case {
  readonly name: string;
  readonly train: boolean;
  readonly state: Record<string, Values>;
  readonly inputs: Values[];
  readonly output: Values;
  readonly gradients: Record<string, Values>;
  readonly inputGradients: Values[];
  readonly buffersAfter: Record<string, Values>;
}

const fixtures: { cases: Case[] } = JSON.parse(
  readFileSync(new URL('../../test/fixtures/nn/layers.json', import.meta.url), 'utf8'),
);

/** The same layers that bench/fixtures/nn/make.py builds, by case name. */
const layers: Readonly<Record<string, () => Layer>> = {
  linear: () => new Linear(4, 3),
  'linear without bias': () => new Linear(4, 3, { bias: false }),
  conv: () => new Conv2d(2, 4, { kernel: 3, padding: 1 }),
  'conv strided dilated grouped': () =>
    new Conv2d(2, 4, { kernel: 3, stride: 2, padding: 2, dilation: 2, groups: 2, bias: false }),
  'conv rectangular': () => new Conv2d(2, 2, { kernel: [3, 2], stride: [2, 1], padding: [0, 1] }),
  'conv reflect': () => new Conv2d(2, 2, { kernel: 3, padding: 1, paddingMode: 'reflect' }),
  'conv replicate': () => new Conv2d(2, 2, { kernel: 3, padding: 1, paddingMode: 'replicate' }),
  'conv circular': () => new Conv2d(2, 2, { kernel: 3, padding: 1, paddingMode: 'circular' }),
  'conv same': () => new Conv2d(2, 2, { kernel: [4, 3], padding: 'same' }),
  'batch norm training': () => new BatchNorm2d(2, { momentum: 0.3, eps: 1e-3 }),
  'batch norm evaluation': () => new BatchNorm2d(2),
  'layer norm': () => new LayerNorm(5, { eps: 1e-6 }),
  'layer norm of two dimensions': () => new LayerNorm([4, 3]),
  embedding: () => new Embedding(7, 3),
  'max pool': () => new MaxPool2d({ kernel: 3, stride: 2, padding: 1, ceilMode: true }),
  'average pool': () => new AvgPool2d({ kernel: 2, stride: 2, ceilMode: true, countIncludePad: false }),
  'adaptive average pool': () => new AdaptiveAvgPool2d([3, 2]),
  relu: () => new ReLU(),
  'leaky relu': () => new LeakyReLU({ slope: 0.2 }),
  gelu: () => new GELU(),
  'gelu tanh': () => new GELU({ approximate: 'tanh' }),
  silu: () => new SiLU(),
  sigmoid: () => new Sigmoid(),
  tanh: () => new Tanh(),
  softmax: () => new Softmax(-1),
  'attention to itself': () => new MultiheadAttention(6, 3),
  sequential: () => new Sequential(new Linear(4, 8), new ReLU(), new Linear(8, 2)),
};

onEachDevice((device) => {
  const place = ({ shape, values }: Values, integer = false): Tensor =>
    tensor(values, { shape, dtype: integer ? 'int64' : 'float64', device });
  const expectValues = (actual: Tensor | null, expected: Values, what: string): void => {
    expect(actual?.shape, what).toEqual(expected.shape);
    const difference = actual?.sub(place(expected)).abs().toFloat32Array() ?? [];
    expect(Math.max(0, ...difference), what).toBeLessThan(1e-9);
  };

  test.each(fixtures.cases)('$name matches PyTorch, forward and backward', (fixture) => {
    tidy(() => {
      const layer = layers[fixture.name]!().to('float64').to(device).train(fixture.train);
      const expectedNames = Object.keys(fixture.state);
      expect([...layer.stateDict().keys()]).toEqual(expectedNames);
      layer.loadStateDict(new Map(expectedNames.map((name) => [name, place(fixture.state[name]!)])));
      const integer = fixture.name === 'embedding';
      const inputs = fixture.inputs.map((input) => place(input, integer));
      if (!integer) for (const input of inputs) input.requiresGrad = true;
      const output = layer.forward(inputs[0]!);
      expectValues(output, fixture.output, 'output');
      const weights = tensor(
        Float64Array.from({ length: output.numel }, (_, i) => Math.cos(i)),
        { shape: output.shape, device },
      );
      output.mul(weights).sum().backward();
      for (const [name, parameter] of layer.namedParameters())
        expectValues(parameter.grad, fixture.gradients[name]!, name);
      for (const [i, expected] of fixture.inputGradients.entries())
        expectValues(inputs[i]!.grad, expected, `input ${i}`);
      for (const [name, buffer] of layer.namedBuffers())
        expectValues(buffer, fixture.buffersAfter[name]!, name);
    });
  });

  test.each(fixtures.cases)('gradients of $name agree with finite differences', (fixture) => {
    const layer = layers[fixture.name]!().to('float64').to(device).train(fixture.train);
    const integer = fixture.name === 'embedding';
    const shape = fixture.inputs[0]!.shape.map((size, i) => (i === 0 ? 1 : size));
    const input = keep(
      integer ? place(fixture.inputs[0]!, integer) : gradcheckInput(shape).detach().to(device),
    );
    if (!integer) input.requiresGrad = true;
    const leaves = [...(integer ? [] : [input]), ...layer.parameters()];
    expect(gradientError(() => layer.forward(input), leaves)).toBeLessThan(1e-6);
  });

  test('dropout zeroes its share of elements, keeps the mean, and does nothing in evaluation', () => {
    tidy(() => {
      const dropout = new Dropout(0.25);
      const x = tensor(new Float32Array(40_000).fill(1), { device });
      const out = dropout.forward(x);
      expect(out.eq(0).to('float32').mean().toNumber()).toBeCloseTo(0.25, 1);
      expect(out.mean().toNumber()).toBeCloseTo(1, 1);
      expect(dropout.eval().forward(x).equal(x)).toBe(true);
      expect(() => new Dropout(1.5)).toThrow('the probability must lie in [0, 1], not 1.5');
    });
  });

  test('stochastic depth drops whole rows and scales the others', () => {
    tidy(() => {
      const depth = new StochasticDepth(0.4);
      const x = tensor(new Float32Array(4000 * 6).fill(1), { shape: [4000, 2, 3], device });
      const rows = depth.forward(x).flatten(1);
      const means = rows.mean(1).toFloat32Array();
      expect(new Set(Array.from(means, (mean) => mean.toFixed(4)))).toEqual(new Set(['0.0000', '1.6667']));
      expect(means.filter((mean) => mean === 0).length / 4000).toBeCloseTo(0.4, 1);
      expect(depth.eval().forward(x)).toBe(x);
      expect(new StochasticDepth(1).forward(x).abs().sum().toNumber()).toBe(0);
    });
  });
});

test('attention refuses a width that its heads do not divide', () => {
  expect(() => new MultiheadAttention(10, 3)).toThrow('3 heads do not divide the width 10');
});

test('attention attends only where its mask allows', () => {
  tidy(() => {
    const attention = new MultiheadAttention(8, 2).eval();
    const x = tensor(
      Float32Array.from({ length: 24 }, (_, i) => Math.sin(i)),
      { shape: [1, 3, 8] },
    );
    const changed = x.clone();
    changed.set([0, 2], 5);
    const mask = tensor([true, true, false]);
    const first = attention.forward(x, x, x, { mask }).at(0, 0);
    expect(
      attention.forward(x, changed, changed, { mask }).at(0, 0).sub(first).abs().amax().toNumber(),
    ).toBeLessThan(1e-6);
    expect(
      attention.forward(x, changed, changed).at(0, 0).sub(first).abs().amax().toNumber(),
    ).toBeGreaterThan(1e-3);
  });
});

test('flatten joins all dimensions but the batch', () => {
  expect(tidy(() => new Flatten().forward(tensor(new Float32Array(24), { shape: [2, 3, 4] })).shape)).toEqual(
    [2, 12],
  );
});

test('convolution refuses groups that do not divide, and same padding with a stride', () => {
  expect(() => new Conv2d(4, 6, { kernel: 3, groups: 4 })).toThrow(
    '4 groups must divide both 4 inputs and 6 outputs',
  );
  expect(() => new Conv2d(4, 6, { kernel: 3, stride: 2, padding: 'same' })).toThrow(
    "padding 'same' needs stride 1",
  );
});
