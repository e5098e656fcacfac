import fc from 'fast-check';
import { expect, test } from 'vitest';
import { nearestToGate, spreadRows } from './index.js';

test('rows next to the gate come first, by the ratio of their presence scores to it', () => {
  const presence = Float64Array.of(0.01, 0.4, 3, 0.5, 0.25);
  expect(nearestToGate(presence, 0.5, 4)).toEqual([3, 1, 4, 2]);
  expect(nearestToGate(presence, null, 2)).toEqual([2, 3]);
});

test('spread rows are distinct, as many as wanted, and the preferred one of each cluster', () => {
  const near = (angle: number) => [Math.cos(angle), Math.sin(angle)];
  const values = Float32Array.from([0, 0.01, 1.5, 1.51, 3, 3.02].flatMap(near));
  for (const seed of [1, 2, 3, 4, 5]) {
    const chosen = spreadRows(values, 2, 3, seed);
    expect(new Set(chosen).size).toBe(3);
  }
  expect(spreadRows(values, 2, 6)).toEqual([0, 1, 2, 3, 4, 5]);
  const alike = Float32Array.from([0, 0, 0, 0, 1.5].flatMap(near));
  expect(spreadRows(alike, 2, 2, 1)).toContain(0);
});

test('any embeddings give as many rows as wanted, the same for a seed', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 20 }),
      fc.integer({ min: 1, max: 25 }),
      fc.nat(99),
      (rows, count, seed) => {
        const values = Float32Array.from({ length: 3 * rows }, (_, i) => Math.sin(i * (seed + 1)));
        const chosen = spreadRows(values, 3, count, seed);
        expect(chosen).toHaveLength(Math.min(rows, count));
        expect(new Set(chosen).size).toBe(chosen.length);
        expect(spreadRows(values, 3, count, seed)).toEqual(chosen);
      },
    ),
  );
});
