import { anyClassLoss } from '@anyclass/core';
import { tensor } from '@anyclass/torch';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { mixImages } from './mixImages.js';
import { drawMixtures, type Mixing, type Mixture, mixLabels, partnerOf } from './mixing.js';

const size = { width: 12, height: 9 };
const many = Int32Array.from({ length: 6000 }, (_, i) => i);
const none: Mixing = { mixup: 0, cutMix: 0, union: 0, alpha: 1 };

function kindOf(mixture: Mixture | undefined): string {
  if (!mixture) return 'none';
  return mixture.labels === 'union' ? 'union' : mixture.box ? 'cutMix' : 'mixup';
}

const someMixing: fc.Arbitrary<Mixing> = fc.record({
  mixup: fc.constantFrom(0, 0.3),
  cutMix: fc.constantFrom(0, 0.3),
  union: fc.constantFrom(0, 0.4),
  alpha: fc.constantFrom(0.05, 0.4, 1, 4),
});

test('each way has its share of the images', () => {
  const mixtures = drawMixtures({ mixup: 0.2, cutMix: 0.3, union: 0.4, alpha: 1 }, many, {
    seed: 1,
    epoch: 2,
    size,
  });
  const shareOf = (kind: string) => mixtures.filter((one) => kindOf(one) === kind).length / many.length;
  expect(shareOf('mixup')).toBeCloseTo(0.2, 1);
  expect(shareOf('cutMix')).toBeCloseTo(0.3, 1);
  expect(shareOf('union')).toBeCloseTo(0.4, 1);
  expect(drawMixtures(none, many, { seed: 1, epoch: 2, size }).every((one) => one === undefined)).toBe(true);
});

test('a mixture depends on seed, epoch and index alone', () => {
  fc.assert(
    fc.property(someMixing, fc.nat(9), fc.nat(9), (mixing, seed, epoch) => {
      const together = drawMixtures(mixing, [3, 8, 5], { seed, epoch, size });
      const alone = [3, 8, 5].map((index) => drawMixtures(mixing, [index], { seed, epoch, size })[0]);
      expect(together).toEqual(alone);
    }),
    { numRuns: 30 },
  );
  const all: Mixing = { ...none, mixup: 1 };
  const at = (seed: number, epoch: number) => drawMixtures(all, [7], { seed, epoch, size })[0]!.weight;
  expect(new Set([at(0, 0), at(0, 1), at(1, 0)]).size).toBe(3);
});

test('weights of mixup have the mean and variance of Beta(alpha, alpha)', () => {
  for (const alpha of [0.05, 0.2, 1, 4]) {
    const drawn = drawMixtures({ ...none, mixup: 1, alpha }, many, { seed: 5, epoch: 0, size });
    const weights = drawn.map((mixture) => mixture!.weight);
    const mean = weights.reduce((sum, weight) => sum + weight, 0) / weights.length;
    const variance = weights.reduce((sum, weight) => sum + (weight - mean) ** 2, 0) / weights.length;
    expect(weights.every((weight) => weight >= 0 && weight <= 1)).toBe(true);
    expect(mean).toBeCloseTo(0.5, 1);
    expect(variance).toBeCloseTo(1 / (4 * (2 * alpha + 1)), 2);
  }
});

test('the box of cutMix lies in the image, and its area decides about the labels', () => {
  const drawn = drawMixtures({ ...none, cutMix: 1 }, many, { seed: 6, epoch: 0, size });
  for (const mixture of drawn) {
    const { left, top, width, height } = mixture!.box!;
    expect(left >= 0 && top >= 0 && left + width <= size.width && top + height <= size.height).toBe(true);
    expect(width >= 0 && height >= 0).toBe(true);
    expect(mixture!.labels).toBeCloseTo(1 - (width * height) / 108, 12);
  }
  expect(new Set(drawn.map((mixture) => mixture!.labels)).size).toBeGreaterThan(20);
});

test('neighbors are partners of each other; the last of an odd number is its own', () => {
  expect([0, 1, 2, 3, 4].map((place) => partnerOf(place, 5))).toEqual([1, 0, 3, 2, 4]);
});

test('a union has the labels of both; where one is unknown, only a present class is known', () => {
  const unknown = Number.NaN;
  const targets = Float32Array.of(1, 0, 0, unknown, 0.25, unknown, 0, 1, 0, 1, 0.5, 0);
  const union = { weight: 0.5, labels: 'union' } as const;
  expect([...mixLabels(targets, 6, [union, undefined])]).toEqual([
    ...[1, 1, 0, 1, 0.5, unknown],
    ...[0, 1, 0, 1, 0.5, 0],
  ]);
});

test('the cross-entropy of mixed labels is the mixture of the cross-entropies, by core', () => {
  const row = (label: fc.Arbitrary<number>) => fc.array(label, { minLength: 3, maxLength: 3 });
  const logits = row(fc.double({ min: -6, max: 6, noNaN: true }));
  const weights = fc.constantFrom(0, 0.25, 0.5, 1);
  fc.assert(
    fc.property(
      logits,
      row(fc.constantFrom(0, 1)),
      row(fc.constantFrom(0, 1)),
      weights,
      (z, own, other, weight) => {
        const mixed = mixLabels(Float32Array.from([...own, ...other]), 3, [
          { weight, labels: weight },
          undefined,
        ]);
        const lossOf = (targets: ArrayLike<number>) =>
          anyClassLoss(Float64Array.from(z), Float64Array.from(targets), {
            classes: 3,
            base: 'bce',
            alpha: 0,
            reduction: 'sum',
          }).loss;
        const expected = weight * lossOf(own) + (1 - weight) * lossOf(other);
        expect(lossOf(mixed.subarray(0, 3))).toBeCloseTo(expected, 9);
        // An unmixed row keeps its labels.
        expect([...mixed.subarray(3)]).toEqual(other);
      },
    ),
  );
});

test('pixels are mixed as in a plain loop, and images without a mixture keep every bit', () => {
  fc.assert(
    fc.property(someMixing, fc.integer({ min: 1, max: 5 }), fc.nat(99), (mixing, count, seed) => {
      const { width, height } = size;
      const values = Float32Array.from({ length: count * 3 * height * width }, (_, i) =>
        Math.sin(i * 7 + seed),
      );
      const images = tensor(values, { shape: [count, height, width, 3] }).permute([0, 3, 1, 2]);
      const mixtures = drawMixtures(
        mixing,
        Int32Array.from({ length: count }, (_, i) => i),
        { seed, epoch: 0, size },
      );
      const mixed = mixImages(images, mixtures);
      expect(mixed.isContiguous('channelsLast')).toBe(true);
      const got = mixed.permute([0, 2, 3, 1]).toFloat32Array();
      const stride = height * width * 3;
      const wrong = values.findIndex((own, at) => {
        const place = Math.floor(at / stride);
        const [y, x] = [Math.floor((at % stride) / (width * 3)), Math.floor(at / 3) % width];
        const mixture = mixtures[place];
        const { left = 0, top = 0, width: wide = 0, height: high = 0 } = mixture?.box ?? {};
        const isOther = x >= left && x < left + wide && y >= top && y < top + high;
        const other = values[partnerOf(place, count) * stride + (at % stride)]!;
        const weight = isOther ? 0 : (mixture?.weight ?? 1);
        const expected = weight * own + (1 - weight) * other;
        return weight === 0 || weight === 1
          ? got[at] !== (weight === 0 ? other : own)
          : Math.abs(got[at]! - expected) > 1e-5;
      });
      expect(wrong).toBe(-1);
    }),
    { numRuns: 25 },
  );
});
