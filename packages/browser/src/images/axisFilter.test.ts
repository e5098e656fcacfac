import fc from 'fast-check';
import { expect, test } from 'vitest';
import { axisFilter, unchanged } from './axisFilter.js';
import { filterPicture } from './filterPicture.js';

const sizes = fc.record({
  pixels: fc.integer({ min: 1, max: 3000 }),
  wanted: fc.integer({ min: 1, max: 300 }),
  mean: fc.constantFrom(1, 2, 4, 8),
  pixelsPerSample: fc.constantFrom(1 as const, 2 as const),
});

test('the weights of every pixel sum to one and lie within the samples', () => {
  fc.assert(
    fc.property(sizes, ({ pixels, wanted, mean, pixelsPerSample }) => {
      const filter = axisFilter(pixels, wanted, { mean, pixelsPerSample });
      const means = Math.ceil(Math.ceil(pixels / pixelsPerSample) / filter.mean);
      for (const [i, weights] of filter.weights.entries()) {
        expect(weights.reduce((sum, weight) => sum + weight, 0)).toBeCloseTo(1, 5);
        expect(filter.first[i]).toBeGreaterThanOrEqual(0);
        expect(filter.first[i]! + weights.length).toBeLessThanOrEqual(means);
      }
    }),
  );
});

test('a single-color picture keeps its color at any size, also if each step rounds to bytes', () => {
  fc.assert(
    fc.property(sizes, fc.integer({ min: 0, max: 255 }), ({ pixels, wanted, mean }, value) => {
      const picture = { width: pixels, height: 1, channels: 1, strips: [new Uint8Array(pixels).fill(value)] };
      const across = axisFilter(pixels, wanted, { mean });
      const [exact, inBytes] = [false, true].map((steps) =>
        filterPicture(picture, { across, down: unchanged(1), inBytes: steps }),
      );
      // In single precision, thousands of pixels are added up.
      for (const result of exact!) expect(Math.abs(result - value)).toBeLessThanOrEqual(1e-5 * value);
      expect(new Set(inBytes)).toEqual(new Set([value]));
    }),
  );
});

test('four pixels become two as in Pillow', () => {
  expect([...axisFilter(4, 2).weights[0]!].map((weight) => 7 * weight)).toEqual(
    [3, 3, 1].map((sevenths) => expect.closeTo(sevenths, 5)),
  );
});

test('a picture may come in strips of any height', () => {
  const pixels = Uint8Array.from({ length: 12 * 9 }, (_, i) => (i * 37) % 256);
  const filter = { across: axisFilter(9, 4), down: axisFilter(12, 5, { mean: 2 }), inBytes: false };
  const inStripsOf = (rows: number) =>
    filterPicture(
      {
        width: 9,
        height: 12,
        channels: 1,
        strips: Array.from({ length: 12 / rows }, (_, i) =>
          pixels.subarray(i * rows * 9, (i + 1) * rows * 9),
        ),
      },
      filter,
    );
  expect(inStripsOf(1)).toEqual(inStripsOf(12));
  expect(inStripsOf(3)).toEqual(inStripsOf(12));
});
