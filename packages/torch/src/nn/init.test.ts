import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { generatorState, setSeed, type Tensor, tidy, zeros } from '../index.js';
import { Conv2d, Embedding, init, Linear, MultiheadAttention } from './index.js';

interface Statistics {
  readonly mean: number;
  readonly std: number;
  readonly min: number;
  readonly max: number;
}

const fixtures: { initializers: Record<string, Statistics> } = JSON.parse(
  readFileSync(new URL('../../test/fixtures/nn/layers.json', import.meta.url), 'utf8'),
);

const initialized: Readonly<Record<string, () => Tensor>> = {
  linear: () => new Linear(300, 200).weight,
  linearBias: () => new Linear(300, 20000).bias!,
  conv: () => new Conv2d(30, 200, { kernel: 3 }).weight,
  embedding: () => new Embedding(300, 200).weight,
  kaimingNormalFanOut: () =>
    init.kaimingNormal_(zeros([200, 30, 3, 3]), { mode: 'fanOut', nonlinearity: 'relu' }),
  kaimingUniform: () => init.kaimingUniform_(zeros([300, 200]), { slope: 0.1 }),
  xavierUniform: () => init.xavierUniform_(zeros([300, 200])),
  xavierNormal: () => init.xavierNormal_(zeros([300, 200]), 2),
  truncatedNormal: () => init.truncatedNormal_(zeros([300, 200]), 0, 0.02),
  truncatedNormalTight: () => init.truncatedNormal_(zeros([300, 200]), 0.5, 1, -0.5, 1),
  attention: () => new MultiheadAttention(120, 4).inProjWeight,
};

test.each(Object.keys(fixtures.initializers))("%s has PyTorch's distribution", (name) => {
  setSeed(3);
  const expected = fixtures.initializers[name]!;
  tidy(() => {
    const values = initialized[name]!().detach();
    const range = expected.max - expected.min;
    expect(Math.abs(values.mean().toNumber() - expected.mean)).toBeLessThan(0.01 * range);
    expect(Math.abs(values.standardDeviation().toNumber() / expected.std - 1)).toBeLessThan(0.02);
    // A uniform distribution ends sharply; the extremes of a normal one scatter.
    expect(Math.abs(values.amax().toNumber() - expected.max)).toBeLessThan(0.15 * range);
    expect(Math.abs(values.amin().toNumber() - expected.min)).toBeLessThan(0.15 * range);
  });
});

test('the same seed gives the same weights', () => {
  const draw = () => {
    setSeed(11);
    return new Linear(5, 4).weight;
  };
  expect(draw().equal(draw())).toBe(true);
});

test('withoutDrawing makes weights zero and leaves the generator alone until the function returns', () => {
  setSeed(11);
  const before = generatorState();
  const layers = init.withoutDrawing(() => [
    new Linear(5, 4).weight,
    new Conv2d(2, 3, { kernel: 3 }).weight,
    new Embedding(3, 2).weight,
    init.truncatedNormal_(zeros([3, 2]).add(1)),
  ]);
  for (const weight of layers) expect(weight.eq(0).sum().toNumber()).toBe(weight.numel);
  expect(generatorState().equal(before)).toBe(true);
  expect(() =>
    init.withoutDrawing(() => {
      throw new Error('cannot be built');
    }),
  ).toThrow('cannot be built');
  expect(() => init.withoutDrawing(async () => new Linear(5, 4))).toThrow('synchronous');
  expect(new Linear(5, 4).weight.eq(0).sum().toNumber()).toBe(0);
});

test('the fan of a bias is an error that names its shape', () => {
  expect(() => init.xavierUniform_(zeros([3]))).toThrow('two or more dimensions, not of shape [3]');
});
