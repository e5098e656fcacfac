import { describe, expect, test } from 'vitest';
import { logQuietProbability } from './binomialBounds.js';
import { moreLabels, promisable, rateInterval } from './promisable.js';

test('the examples in the documentation hold', () => {
  const { smallestRate, rates } = promisable(120);
  expect(smallestRate).toBeCloseTo(0.0246554, 7);
  expect(rates).toEqual([
    { rate: 0.05, needed: 59, more: 0 },
    { rate: 0.02, needed: 149, more: 29 },
    { rate: 0.01, needed: 299, more: 179 },
  ]);
  expect(moreLabels(50, 0.05).map(({ more }) => more)).toEqual([100, 300, 1000]);
  expect(moreLabels(50, 0.05)[0]!.smallestRate).toBeCloseTo(0.0197, 3);
  expect(moreLabels(50, 0.05)[2]!.smallestRate).toBeCloseTo(0.0028, 3);
  const { low, high } = rateInterval(38, 805);
  expect(low).toBeCloseTo(0.0336, 4);
  expect(high).toBeCloseTo(0.0642, 4);
});

test.each([0.3, 0.05, 0.02, 0.01, 0.001])('one instance less than needed cannot promise %d', (rate) => {
  for (const candidates of [1, 8, 32]) {
    const { needed } = promisable(0, { rates: [rate], candidates }).rates[0]!;
    expect(promisable(needed, { candidates }).smallestRate).toBeLessThanOrEqual(rate);
    expect(promisable(needed - 1, { candidates }).smallestRate).toBeGreaterThan(rate);
  }
});

test('at the ends of a rate interval, what was seen is as unlikely as the confidence allows', () => {
  const { low, high } = rateInterval(7, 60);
  expect(logQuietProbability(60, 53, high)).toBeCloseTo(Math.log(0.025), 8);
  expect(logQuietProbability(60, 7, 1 - low)).toBeCloseTo(Math.log(0.025), 8);
  expect(rateInterval(0, 60).low).toBe(0);
  expect(rateInterval(60, 60).high).toBe(1);
  expect(rateInterval(0, 0)).toEqual({ low: 0, high: 1 });
});

describe('bad arguments are named', () => {
  test.each<[() => unknown, string]>([
    [() => promisable(1.5), 'instances is 1.5'],
    [() => promisable(10, { rates: [5] }), 'rate is 5'],
    [() => promisable(10, { confidence: 95 }), 'confidence is 95'],
    [() => promisable(10, { candidates: 0 }), 'candidates is 0'],
    [() => rateInterval(7, 6), 'count is 7'],
  ])('%s', (call, message) => {
    expect(call).toThrow(message);
  });
});
