import { expect, test } from 'vitest';
import { sweepChart } from './sweepChart.js';

/** Returns the positions of the labels of values, from left to right, in percent of the width. */
function labelPlaces(x: string, values: readonly (number | null)[], standard = 'bce'): number[] {
  const points = values.map((value) => ({ value, mean: 40 }));
  const svg = sweepChart([{ name: 'F1', points }], { label: 'F1', x, y: '%', standard });
  return values.map((value) => {
    const text = value === null ? standard : String(value);
    const found = svg.match(
      new RegExp(`<text x="([\\d.]+)%" y="[\\d.]+" text-anchor="middle">${text}</text>`),
    );
    return Number(found?.[1]);
  });
}

function gaps(places: readonly number[]): number[] {
  return places.slice(1).map((place, i) => place - places[i]!);
}

test('λ is on a log axis, with 0 and the standard loss set apart', () => {
  const [toZero, toFirst, ...steps] = gaps(labelPlaces('λ', [null, 0, 0.01, 0.1, 1]));
  expect(toZero).toBeCloseTo(toFirst!, 1);
  expect(steps[0]).toBeCloseTo(steps[1]!, 1);
  const [tens, twos] = gaps(labelPlaces('λ', [0.01, 0.1, 0.2]));
  expect(tens! / twos!).toBeCloseTo(1 / Math.log10(2), 1);
});

test('values that would crowd on a log axis are spaced evenly, such as β near 1', () => {
  const steps = gaps(labelPlaces('β', [null, 0, 0.9, 0.99, 0.999, 0.9999]));
  for (const step of steps) expect(step).toBeCloseTo(steps[0]!, 1);
  expect(steps[0]).toBeGreaterThan(15);
});
