import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  falseAlarmUpperBound,
  instancesNeeded,
  logQuietProbability,
  quietRank,
  smallestPromise,
} from './binomialBounds.js';

/** Σ_{j=k..n} C(n, j) (1 - rate)^j rate^(n-j), term by term. */
function quietProbability(n: number, k: number, rate: number): number {
  let sum = 0;
  for (let j = k; j <= n; j++) {
    let choose = 1;
    for (let i = 0; i < j; i++) choose *= (n - i) / (i + 1);
    sum += choose * (1 - rate) ** j * rate ** (n - j);
  }
  return sum;
}
const negatives = fc.integer({ min: 1, max: 40 });
const rate = fc.double({ min: 0.001, max: 0.999, noNaN: true });

test('the probability is the sum over the binomial distribution', () => {
  fc.assert(
    fc.property(negatives, fc.nat(40), rate, (n, k, x) => {
      fc.pre(k <= n);
      const expected = quietProbability(n, k, x);
      expect(Math.exp(logQuietProbability(n, k, x))).toBeCloseTo(expected, 12);
    }),
  );
});

test('the rank is the smallest whose probability is at most δ', () => {
  fc.assert(
    fc.property(negatives, rate, fc.constantFrom(0.01, 0.05, 0.2), (n, x, delta) => {
      const found = quietRank(n, x, delta);
      const ranks = Array.from({ length: n }, (_, k) => k + 1);
      expect(found).toBe(ranks.find((k) => quietProbability(n, k, x) <= delta) ?? null);
    }),
  );
});

test('the smallest rate that so many negatives can promise is promised with them', () => {
  for (const delta of [0.01, 0.05, 1 - 0.95, 0.2]) {
    for (let n = 1; n <= 3000; n++) expect(quietRank(n, smallestPromise(n, delta), delta)).toBe(n);
  }
});

describe('scipy agrees', () => {
  test.each([
    [59, 0.05, 0.05, 59],
    [58, 0.05, 0.05, null],
    [200, 0.05, 0.05, 196],
    [1000, 0.05, 0.05, 962],
    [13200, 0.05, 0.05, 12582],
    [100000, 0.05, 0.05, 95114],
    [100000, 0.001, 0.01, 99923],
    [5000, 0.3, 0.1, 3542],
    [13, 0.5, 0.5, 7],
  ])('on the rank among %d negatives for a rate of %d and δ = %d', (n, x, delta, expected) => {
    expect(quietRank(n, x, delta)).toBe(expected);
  });
  test.each([
    [38, 805, 0.06141714101191453],
    [0, 10, 0.2588655508930522],
    [3, 10, 0.6066242161054123],
    [9, 10, 0.9948838031081763],
    [10, 10, 1],
    [650, 13208, 0.05242073048388115],
    [46000, 58000, 0.7958678493847571],
  ])('on the bound of %d false alarms among %d', (falseAlarms, n, expected) => {
    expect(falseAlarmUpperBound(falseAlarms, n, 0.95)).toBeCloseTo(expected, 9);
  });
});

test('the smallest rate that can be guaranteed is that at which stopping every negative suffices', () => {
  fc.assert(
    fc.property(negatives, fc.constantFrom(0.01, 0.05), (n, delta) => {
      const smallest = smallestPromise(n, delta);
      expect(quietRank(n, smallest + 1e-9, delta)).not.toBeNull();
      expect(quietRank(n, smallest - 1e-9, delta)).toBeNull();
    }),
  );
  expect(smallestPromise(58, 0.05)).toBeCloseTo(0.05033933833042015, 12);
  expect(smallestPromise(0, 0.05)).toBe(1);
  expect(quietRank(0, 0.5, 0.05)).toBeNull();
});

test('a tiny rate needs billions of instances, which are counted at once', () => {
  expect(instancesNeeded(1e-9, 0.05) / 2_995_732_272.06).toBeCloseTo(1, 9);
  expect(instancesNeeded(1e-15, 0.05) / 2.995732273553991e15).toBeCloseTo(1, 12);
});
