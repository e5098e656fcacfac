import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { largestPilot, leastPilot, pilotSeconds } from './pilotSize.js';
import { leastSeconds, planRounds, roundSizes } from './roundPlan.js';

const full = fc.record({
  train: fc.integer({ min: 10, max: 1_000_000 }),
  validation: fc.integer({ min: 4, max: 100_000 }),
  epochs: fc.integer({ min: 1, max: 90 }),
});
const speed = fc.record({
  imagesPerSecond: fc.integer({ min: 5, max: 50_000 }),
  overheadSeconds: fc.integer({ min: 1, max: 20 }),
  sideBySide: fc.integer({ min: 1, max: 4 }),
});
const seconds = fc.integer({ min: 1, max: 100_000 });

describe('a pilot', () => {
  test('fits into its time, and no larger one does unless it is a full run', () => {
    fc.assert(
      fc.property(seconds, full, speed, (time, whole, measured) => {
        const size = largestPilot(time, whole, measured);
        if (!size) return;
        const takes = (instances: number, epochs: number) =>
          pilotSeconds({ instances, epochs }, whole, measured);
        expect(takes(size.instances, size.epochs)).toBeLessThanOrEqual(time * (1 + 1e-6));
        expect(size.instances).toBeLessThanOrEqual(whole.train);
        expect(size.epochs).toBeLessThanOrEqual(whole.epochs);
        if (size.instances < whole.train)
          expect(takes(size.instances + 2, size.epochs)).toBeGreaterThan(time);
        else if (size.epochs < whole.epochs)
          expect(takes(size.instances, size.epochs + 1)).toBeGreaterThan(time);
      }),
    );
  });

  test('exists from the smallest informative size on', () => {
    fc.assert(
      fc.property(full, speed, (whole, measured) => {
        const least = pilotSeconds(leastPilot(whole), whole, measured);
        expect(largestPilot(least * 1.001 + 0.01, whole, measured)).toBeDefined();
        expect(largestPilot(least * 0.9, whole, measured)).toBeUndefined();
      }),
    );
  });

  test('sees all images three times before it sees any a fourth time', () => {
    const whole = { train: 900, validation: 300, epochs: 6 };
    const measured = { imagesPerSecond: 100, overheadSeconds: 2, sideBySide: 1 };
    expect(largestPilot(33, whole, measured)).toEqual({ instances: 900, epochs: 3 });
    expect(largestPilot(32, whole, measured)).toEqual({ instances: 866, epochs: 3 });
    expect(largestPilot(43, whole, measured)).toEqual({ instances: 900, epochs: 4 });
    expect(largestPilot(1e9, whole, measured)).toEqual({ instances: 900, epochs: 6 });
  });
});

test.each([
  [24, [24, 8, 3]],
  [25, [25, 9, 3]],
  [13, [13, 5]],
  [12, [12, 4]],
  [7, [7]],
  [6, [6]],
])('%i losses are compared in rounds of %j', (losses, sizes) => {
  expect(roundSizes(losses)).toEqual(sizes);
});

describe('a plan', () => {
  const sizes = fc.constantFrom([24, 9, 4], [12, 5], [6]);

  test('fits into its time, and its pilots grow from round to round', () => {
    fc.assert(
      fc.property(seconds, sizes, full, speed, (time, counts, whole, measured) => {
        const rounds = planRounds(time, counts, whole, measured);
        if (!rounds) return;
        expect(rounds.map(({ losses }) => losses)).toEqual(counts);
        expect(rounds.reduce((sum, round) => sum + round.seconds, 0)).toBeLessThanOrEqual(time * (1 + 1e-6));
        const images = rounds.map((round) => round.instances * round.epochs);
        expect(images).toEqual(images.toSorted((a, b) => a - b));
      }),
    );
  });

  test('compares the finalists of several rounds with two seeds, or three if there is time for full runs', () => {
    const whole = { train: 3200, validation: 1000, epochs: 6 };
    const measured = { imagesPerSecond: 250, overheadSeconds: 3, sideBySide: 1 };
    const seedsIn = (time: number, counts: number[]) =>
      planRounds(time, counts, whole, measured)?.map(({ seeds }) => seeds);
    expect(seedsIn(1200, [12, 5])).toEqual([1, 2]);
    expect(seedsIn(1e6, [12, 5])).toEqual([1, 3]);
    expect(seedsIn(300, [6])).toEqual([1]);
    expect(seedsIn(1e6, [6])).toEqual([3]);
    expect(planRounds(1e6, [5], whole, measured, true)?.[0]?.seeds).toBe(3);
    expect(planRounds(400, [5], whole, measured, true)?.[0]?.seeds).toBe(2);
  });

  test('for a short list exists from the minimum time on', () => {
    fc.assert(
      fc.property(full, speed, (whole, measured) => {
        const least = leastSeconds(6, whole, measured);
        expect(planRounds(least * 1.001 + 0.1, [6], whole, measured)).toBeDefined();
        expect(planRounds(least * 0.9, [6], whole, measured)).toBeUndefined();
      }),
    );
  });
});
