import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyClassLogit, anyClassProbability } from './anyClass.js';
import { logit, sigmoid, softplus } from './logisticTerms.js';

const logits = fc.array(fc.double({ min: -20, max: 20, noNaN: true }), { minLength: 1, maxLength: 8 });
const share = fc.double({ min: 0, max: 1, noNaN: true });

test('the examples in the documentation hold', () => {
  expect(anyClassLogit([2, -1, 0.5], [1, 0, 1], 0.02)).toBeCloseTo(1.2277227722772277, 12);
  expect(anyClassLogit([-2, -3, -0.5], [0, 0, 0], 0.02)).toBeCloseTo(-1.83333333, 8);
  expect(anyClassLogit([1.5, 0.25, -4], [0, 1, 0], 0.02)).toBeCloseTo(0.19230769, 8);
  expect(anyClassProbability([2, -1, 0.5], [1, 0, 1], 0.02)).toBeCloseTo(0.7734197576486308, 12);
  expect(sigmoid(2)).toBeCloseTo(0.8807970779778823, 15);
  expect(softplus(2)).toBeCloseTo(2.1269280110429722, 15);
  expect(logit(0.8807970779778823)).toBeCloseTo(2, 12);
});

test('λ has no influence on a negative instance', () => {
  fc.assert(
    fc.property(logits, share, (z, lambda) => {
      const mean = z.reduce((sum, value) => sum + value, 0) / z.length;
      expect(
        anyClassLogit(
          z,
          z.map(() => 0),
          lambda,
        ),
      ).toBeCloseTo(mean, 12);
    }),
  );
});

test('the probability is the normalized weighted geometric mean of the class probabilities', () => {
  const labeled = logits.chain((z) =>
    fc.tuple(fc.constant(z), fc.array(fc.constantFrom(0, 1), { minLength: z.length, maxLength: z.length })),
  );
  fc.assert(
    fc.property(labeled, share, ([z, y], lambda) => {
      const weights = y.map((target) => (target === 1 || !y.includes(1) ? 1 : lambda));
      const total = weights.reduce((sum, weight) => sum + weight, 0);
      const mean = (sign: number) =>
        z.reduce((product, value, j) => product * sigmoid(sign * value) ** (weights[j]! / total), 1);
      expect(anyClassProbability(z, y, lambda)).toBeCloseTo(mean(1) / (mean(1) + mean(-1)), 9);
    }),
  );
});

test('an unknown label is left out', () => {
  expect(anyClassLogit([2, 9, -1], [1, Number.NaN, 0], 0.1)).toBe(anyClassLogit([2, -1], [1, 0], 0.1));
});

test("a soft label's weight lies between absent and present", () => {
  // y_a = 0.5, λ' = 0.5 · 0 + 0.5: weights 0.75 and 0.5
  expect(anyClassLogit([4, -2], [0.5, 0], 0)).toBeCloseTo((0.75 * 4 - 0.5 * 2) / 1.25, 12);
});

describe('bad arguments are named', () => {
  test.each([
    ['length', () => anyClassLogit([1, 2], [1], 0.1), '2 logits and 1 targets'],
    ['lambda', () => anyClassLogit([1], [1], 2), 'lambda is 2'],
    ['target', () => anyClassLogit([1, 2], [1, -1], 0.1), 'class 1 is -1'],
    ['nothing known', () => anyClassLogit([1], [Number.NaN], 0.1), 'no known label'],
  ])('%s', (_, call, message) => {
    expect(call).toThrow(RangeError);
    expect(call).toThrow(message);
  });
});
