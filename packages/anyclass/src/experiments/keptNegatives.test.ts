import { measure, thresholdCurves } from '@anyclass/core';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { keptThreshold } from './keptNegatives.js';

const classNames = ['crack', 'roots'];
const anyScored = fc
  .array(fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.boolean()), { minLength: 4, maxLength: 40 })
  .filter((entries) => entries.length % 2 === 0)
  .map((entries) => ({
    scores: Float64Array.from(entries, ([score]) => score),
    targets: entries.map(([, isPresent]) => Number(isPresent)),
    classNames,
  }));

test('no threshold that keeps the negatives has a higher F1 than the chosen one', () => {
  fc.assert(
    fc.property(anyScored, fc.double({ min: 0, max: 1, noNaN: true }), (scored, floor) => {
      const chosen = keptThreshold(thresholdCurves(scored), floor);
      const at = (threshold: number) => measure(scored, { threshold });
      const grid = Array.from({ length: 101 }, (_, i) => at(i / 100));
      const reached = Math.max(...grid.map(({ f1Neg }) => f1Neg ?? 0));
      expect(at(chosen).f1Neg).toBeGreaterThanOrEqual(Math.min(floor, reached) - 1e-12);
      for (const { f1Neg, macroF1 } of grid) {
        if ((f1Neg ?? 0) >= Math.min(floor, reached))
          expect(macroF1).toBeLessThanOrEqual(at(chosen).macroF1 + 1e-12);
      }
    }),
  );
});

test('where no threshold keeps the negatives, they lose as little as can be', () => {
  // The negative has the higher score: it is kept by a threshold above it alone, which predicts nothing.
  const scored = { scores: Float64Array.of(0.9, 0.4), targets: [0, 1], classNames: ['crack'] };
  expect(keptThreshold(thresholdCurves(scored), 1)).toBeGreaterThan(0.9);
});
