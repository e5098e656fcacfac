import { likelihoodSurfaces } from '@anyclass/core';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { placeLabels } from './contourLabels.js';
import { contourTracer, type Grid } from './contours.js';
import { likelihoodScale, lossScale } from './levels.js';
import { plotRows } from './plots.js';

function gridOf(steps: number, value: (x: number, y: number) => number): Grid {
  const values = Float32Array.from({ length: steps * steps }, (_, n) =>
    value(n % steps, Math.floor(n / steps)),
  );
  return { values, steps };
}

function contourLines({ values, steps }: Grid, levels: readonly number[]) {
  return contourTracer(steps)(values, levels);
}

test('the documented example is correct', () => {
  expect(contourTracer(2)(Float32Array.of(0, 1, 0, 1), [0.25])).toEqual([[[0.25, 0, 0.25, 1]]]);
});

test('the lines of a plane are straight and at their level', () => {
  const slope = fc.double({ min: -1, max: 1, noNaN: true });
  fc.assert(
    fc.property(slope, slope, fc.integer({ min: 2, max: 23 }), (a, b, steps) => {
      fc.pre(Math.abs(a) + Math.abs(b) > 0.01);
      const level = (0.45 * (a + b) * (steps - 1)) / 1;
      const lines = contourLines(
        gridOf(steps, (x, y) => a * x + b * y),
        [level],
      );
      for (const line of lines[0]!) {
        expect(line.length).toBeGreaterThanOrEqual(4);
        for (let n = 0; n < line.length; n += 2) {
          expect(Math.abs(a * line[n]! + b * line[n + 1]! - level)).toBeLessThan(1e-4);
        }
      }
    }),
  );
});

test('a hill has one closed line around its top, at the right distance', () => {
  const hill = gridOf(61, (x, y) => Math.hypot(x - 30, y - 30));
  const [lines] = contourLines(hill, [20]);
  expect(lines).toHaveLength(1);
  const [ring] = lines!;
  expect(ring!.slice(-2)).toEqual(ring!.slice(0, 2));
  for (let n = 0; n < ring!.length; n += 2) {
    expect(Math.hypot(ring![n]! - 30, ring![n + 1]! - 30)).toBeCloseTo(20, 0);
  }
});

test('every cell that a level crosses is on a line, without gaps, even at saddles', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 25, maxLength: 25 }), (corners) => {
      const grid = gridOf(17, (x, y) => corners[Math.floor(y / 4) * 5 + Math.floor(x / 4)]! + 0.5);
      const [lines] = contourLines(grid, [5]);
      const vertices = lines!.reduce((sum, line) => sum + line.length / 2, 0);
      const rings = lines!.filter((line) => line[0] === line.at(-2) && line[1] === line.at(-1)).length;
      let crossings = 0;
      for (let i = 0; i < 5; i++) {
        for (let k = 0; k < 5; k++) {
          const isBelow = corners[5 * i + k]! < 5;
          if (k < 4 && isBelow !== corners[5 * i + k + 1]! < 5) crossings++;
          if (i < 4 && isBelow !== corners[5 * (i + 1) + k]! < 5) crossings++;
        }
      }
      expect(vertices - rings).toBe(crossings);
    }),
  );
});

test('a reused tracer finds the same lines as a new one', () => {
  const corner = fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 81, maxLength: 81 });
  const tracer = contourTracer(9);
  const levels = [0.5, 2, 3.5, 5, 8.5];
  fc.assert(
    fc.property(corner, (values) => {
      const grid = gridOf(9, (x, y) => values[9 * y + x]!);
      expect(tracer(grid.values, levels)).toEqual(contourLines(grid, levels));
    }),
  );
});

test('numbers are on their lines, inside the plot and apart from each other', () => {
  const steps = 200;
  for (const plot of plotRows.flatMap(({ plots }) => plots)) {
    for (const targets of [
      [1, 0],
      [1, 1],
      [0, 0],
    ] as const) {
      const values = new Float32Array(steps * steps);
      likelihoodSurfaces([plot], { targets, lambda: 0.2, steps }, [values]);
      const levels = (plot.negativeLog ? lossScale : likelihoodScale).levels[9];
      const lines = contourLines({ values, steps }, levels);
      const labels = placeLabels({ values, steps }, lines);
      expect(labels.length).toBeGreaterThan(3);
      for (const [n, { level, x, y }] of labels.entries()) {
        const nearest = values[Math.round(y) * steps + Math.round(x)]!;
        expect(Math.abs(nearest - levels[level]!)).toBeLessThan(0.15 * Math.max(1, levels[level]!));
        expect(Math.min(x, y, steps - 1 - x, steps - 1 - y)).toBeGreaterThan(10);
        for (const other of labels.slice(0, n)) {
          expect(Math.max(Math.abs(other.x - x) / 2, Math.abs(other.y - y))).toBeGreaterThan(10);
        }
      }
    }
  }
});
