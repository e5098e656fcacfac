import fc from 'fast-check';
import { expect, test } from 'vitest';
import { measure } from '../metrics/measure.js';
import { fitSharedThreshold, sharedThreshold } from './sharedThreshold.js';
import { thresholdCurves } from './thresholdCurves.js';

const classNames = ['crack', 'roots'];
const anyScored = fc
  .array(fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.boolean()), { minLength: 4, maxLength: 40 })
  .filter((entries) => entries.length % 2 === 0)
  .map((entries) => ({
    scores: Float64Array.from(entries, ([score]) => score),
    targets: entries.map(([, isPresent]) => Number(isPresent)),
    classNames,
  }));

test('no threshold that keeps the F1-Neg has a higher F1 than the chosen one', () => {
  fc.assert(
    fc.property(anyScored, fc.double({ min: 0, max: 1, noNaN: true }), (scored, floor) => {
      const chosen = sharedThreshold(thresholdCurves(scored), { leastF1Neg: floor });
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

test('if no threshold keeps the F1-Neg, the loss is as small as possible', () => {
  // The negative has the higher score, so only a threshold above it, which predicts nothing, keeps it.
  const scored = { scores: Float64Array.of(0.9, 0.4), targets: [0, 1], classNames: ['crack'] };
  expect(sharedThreshold(thresholdCurves(scored), { leastF1Neg: 1 })).toBeGreaterThan(0.9);
});

test('a fitted one keeps the F1-Neg at 0.5 and is refused on the data of its fit', () => {
  const scores = Float64Array.of(0.6, 0.4, 0.3, 0.1);
  const validation = { scores, targets: [1, 1, 0, 0], classNames: ['crack'], split: 'validation' };
  const fitted = fitSharedThreshold(validation);
  expect(fitted).toMatchObject({
    values: [0.31],
    reached: [1],
    fittedOn: 'validation',
    undefinedClasses: [],
  });
  expect(() => measure(validation, { threshold: fitted })).toThrow("fitted on 'validation'");
  const [absent] = fitSharedThreshold({ ...validation, targets: [0, 0, 0, 0] }).undefinedClasses;
  expect(absent).toBe('crack');
});

test('with a larger β recall counts more, so the threshold is not higher', () => {
  fc.assert(
    fc.property(anyScored, (scored) => {
      const curves = thresholdCurves(scored);
      const at = (beta: number) => sharedThreshold(curves, { beta, leastF1Neg: 0 });
      expect(at(4)).toBeLessThanOrEqual(at(1));
    }),
  );
});

test('curves without a point at 0.5 need leastF1Neg', () => {
  const scored = { scores: Float64Array.of(0.9, 0.4), targets: [0, 1], classNames: ['crack'] };
  expect(() => sharedThreshold(thresholdCurves(scored, [0.2, 0.3]))).toThrow('set leastF1Neg');
});
