import fc from 'fast-check';
import { expect, test } from 'vitest';
import { presenceTicks } from './presenceTicks.js';

test('the texts of the marks never cover each other, at any width and for any range of scores', () => {
  const range = fc.tuple(
    fc.double({ min: -12, max: 0, noNaN: true }),
    fc.double({ min: 0.1, max: 12, noNaN: true }),
  );
  fc.assert(
    fc.property(range, fc.integer({ min: 200, max: 1600 }), ([lowest, highest], width) => {
      const ticks = presenceTicks(
        lowest,
        highest,
        (logit) => (width * (logit - lowest)) / (highest - lowest),
      );
      const gaps = ticks.slice(1).map(({ at }, i) => at - ticks[i]!.at);
      expect(Math.min(Infinity, ...gaps)).toBeGreaterThanOrEqual(58);
      for (const { at } of ticks) expect(at >= 0 && at <= width).toBe(true);
    }),
  );
});

test('a wide axis has marks over all of its range', () => {
  const ticks = presenceTicks(-7, 7, (logit) => 50 * (logit + 7));
  expect(ticks.map(({ share }) => share)).toEqual([0.001, 0.005, 0.02, 0.1, 0.35, 0.7, 0.95, 0.985, 0.997]);
});
