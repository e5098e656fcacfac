import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { effectiveNumberWeights } from './effectiveNumberWeights.js';

test("the method's weights match those computed by hand", () => {
  const { classWeights, negativeWeight } = effectiveNumberWeights([10, 100, 1000], 5000, { beta: 0.9999 });
  expect(classWeights[0]).toBeCloseTo(3.59229603, 8);
  expect(classWeights[1]).toBeCloseTo(0.36084837, 8);
  expect(classWeights[2]).toBeCloseTo(0.03773026, 8);
  expect(negativeWeight).toBeCloseTo(0.00912534, 8);
});

const counts = fc.array(fc.integer({ min: 1, max: 1e6 }), { minLength: 1, maxLength: 20 });

test('weights have a mean of 1 over the classes and the negatives, and decrease with the count', () => {
  fc.assert(
    fc.property(counts, fc.double({ min: 0, max: 1 - 1e-16, noNaN: true }), (classCounts, beta) => {
      const { classWeights, negativeWeight } = effectiveNumberWeights(classCounts, 1000, { beta });
      const total = classWeights.reduce((sum, weight) => sum + weight, negativeWeight);
      expect(total).toBeCloseTo(classCounts.length + 1, 8);
      classCounts.forEach((count, k) => {
        if (count <= 1000) expect(classWeights[k]! / negativeWeight).toBeGreaterThanOrEqual(1 - 1e-12);
      });
    }),
  );
});

test('β = 0 gives equal weights', () => {
  const { classWeights, negativeWeight } = effectiveNumberWeights([3, 900], 40, { beta: 0 });
  expect([...classWeights, negativeWeight]).toEqual([1, 1, 1]);
});

test('just below β = 1, weights equal inverse frequencies to full precision', () => {
  const { classWeights, negativeWeight } = effectiveNumberWeights([1, 2], 4, { beta: 1 - 2 ** -53 });
  expect(classWeights[0]! / negativeWeight).toBeCloseTo(4, 12);
  expect(classWeights[1]! / negativeWeight).toBeCloseTo(2, 12);
});

test('an empty class can be given the weight 0', () => {
  const { classWeights, negativeWeight } = effectiveNumberWeights([0, 10], 10, { emptyClass: 'zero' });
  expect([...classWeights, negativeWeight]).toEqual([0, 1.5, 1.5]);
});

test('without negatives, the classes are balanced among themselves, and other rows have weight 1', () => {
  const { classWeights, negativeWeight } = effectiveNumberWeights([1, 3], 0, { beta: 1 - 2 ** -53 });
  expect([...classWeights]).toEqual([expect.closeTo(1.5, 12), expect.closeTo(0.5, 12)]);
  expect(negativeWeight).toBe(1);
});

describe('bad arguments are named', () => {
  test.each([
    [
      'an empty class',
      () => effectiveNumberWeights([5, 0], 9, { classNames: ['cat', 'dog'] }),
      'the count of class dog is 0',
    ],
    ['negatives', () => effectiveNumberWeights([5], -1), 'the count of the negatives is -1'],
    ['no class', () => effectiveNumberWeights([], 9), 'classCounts is empty'],
    ['nothing at all', () => effectiveNumberWeights([0], 0, { emptyClass: 'zero' }), 'every count is 0'],
    ['a negative count', () => effectiveNumberWeights([5, -1], 9), 'the count of class 1 is -1'],
    ['NaN', () => effectiveNumberWeights([Number.NaN], 9), 'the count of class 0 is NaN'],
    ['beta', () => effectiveNumberWeights([5], 9, { beta: 1 }), 'beta is 1'],
  ])('%s', (_, call, message) => {
    expect(call).toThrow(RangeError);
    expect(call).toThrow(message);
  });
});
