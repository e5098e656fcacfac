import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readFixture } from '../../test/files.js';
import { scoredRows } from '../../test/scoredRows.js';
import { logit, sigmoid } from '../losses/logisticTerms.js';
import { calibrate } from './calibrate.js';
import { fitPlatt } from './plattScaling.js';
import { reliability } from './reliability.js';
import { fitTemperature } from './temperatureScaling.js';

const fixture: {
  scores: number[];
  targets: number[];
  classes: number;
  bins: number;
  curves: { rates: number[]; means: number[] }[];
  brier: number[];
  temperature: number;
  slopes: number[];
  intercepts: number[];
} = readFixture('calibration.json');
const classNames = Array.from({ length: fixture.classes }, (_, j) => `class ${j}`);
const scored = { scores: Float64Array.from(fixture.scores), targets: fixture.targets, classNames };

describe('scikit-learn and scipy agree', () => {
  test('on the reliability curve and the Brier score', () => {
    const { perClass } = reliability(scored, { bins: fixture.bins });
    perClass.forEach((curve, j) => {
      const expected = fixture.curves[j]!;
      expect(curve.bins.map((bin) => bin.observedRate)).toEqual(expected.rates);
      curve.bins.forEach((bin, b) => {
        expect(bin.meanProbability).toBeCloseTo(expected.means[b]!, 12);
      });
      expect(curve.brier).toBeCloseTo(fixture.brier[j]!, 12);
    });
  });
  test('on the temperature', () => {
    expect(fitTemperature(scored).temperature).toBeCloseTo(fixture.temperature, 6);
  });
  test('on Platt scaling', () => {
    const { slopes, intercepts } = fitPlatt(scored);
    slopes.forEach((slope, j) => {
      expect(slope).toBeCloseTo(fixture.slopes[j]!, 4);
      expect(intercepts[j]).toBeCloseTo(fixture.intercepts[j]!, 4);
    });
  });
});

test('the examples in the documentation hold', () => {
  const crack = ['crack'];
  const four = { scores: new Float64Array([0.9, 0.7, 0.2, 0.1]), targets: [1, 0, 0, 0], classNames: crack };
  const [curve] = reliability(four, { bins: 2 }).perClass;
  expect(curve!.ece).toBeCloseTo(0.225, 12);
  expect(curve!.brier).toBeCloseTo(0.1375, 12);
  const scores = new Float64Array([0.9, 0.9, 0.9, 0.9, 0.1, 0.1, 0.1, 0.1]);
  const sure = { scores, targets: [1, 1, 1, 0, 1, 0, 0, 0], classNames: crack };
  expect(fitTemperature(sure).temperature).toBeCloseTo(2, 12);
  const six = {
    scores: new Float64Array([0.9, 0.8, 0.7, 0.4, 0.2, 0.1]),
    targets: [1, 1, 0, 1, 0, 0],
    classNames: crack,
  };
  expect(fitPlatt(six).slopes[0]).toBeCloseTo(0.5388519122, 8);
  expect(fitPlatt(six).intercepts[0]).toBeCloseTo(-0.0451512569, 8);
});

test("with one bin, ECE is |rate - mean probability|; 'any class' uses the highest probability", () => {
  fc.assert(
    fc.property(scoredRows(), (rows) => {
      const { anyClass } = reliability(rows, { bins: 1 });
      const classes = rows.classNames.length;
      const table = Array.from({ length: rows.scores.length / classes }, (_, row) => ({
        highest: Math.max(...rows.scores.slice(row * classes, (row + 1) * classes)),
        present: rows.targets.slice(row * classes, (row + 1) * classes).includes(1) ? 1 : 0,
      }));
      const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
      const gap = mean(table.map((row) => row.present)) - mean(table.map((row) => row.highest));
      expect(anyClass.ece).toBeCloseTo(Math.abs(gap), 12);
      expect(anyClass.brier).toBeCloseTo(mean(table.map((row) => (row.highest - row.present) ** 2)), 12);
    }),
  );
});

test("'any class' can be computed as if classes were independent", () => {
  const two = { scores: new Float64Array([0.5, 0.5]), targets: [1, 0], classNames: ['a', 'b'] };
  expect(reliability(two, { anyClass: 'independent' }).anyClass.brier).toBeCloseTo(0.0625, 12);
});

test('a fitted scaling does not increase the cross-entropy, and the temperature is at its minimum', () => {
  const crossEntropy = (probabilities: ArrayLike<number>) =>
    fixture.targets.reduce(
      (sum, y, i) => sum - Math.log(y === 1 ? probabilities[i]! : 1 - probabilities[i]!),
      0,
    );
  const temperature = fitTemperature(scored);
  const at = (factor: number) =>
    crossEntropy(
      calibrate(scored.scores, classNames, { ...temperature, temperature: temperature.temperature * factor }),
    );
  expect(at(1)).toBeLessThan(crossEntropy(scored.scores));
  expect(at(1)).toBeLessThan(at(1.001));
  expect(at(1)).toBeLessThan(at(0.999));
  expect(crossEntropy(calibrate(scored.scores, classNames, fitPlatt(scored)))).toBeLessThan(at(1));
});

test('calibrating applies slope and intercept to the logits and keeps the precision', () => {
  const platt = { ...fitPlatt(scored), classNames: ['a', 'b'], slopes: [2, 1], intercepts: [0.5, 0] };
  const [a, b] = calibrate(new Float64Array([0.7, 0.2]), ['a', 'b'], platt);
  expect(a).toBeCloseTo(sigmoid(2 * logit(0.7) + 0.5), 12);
  expect(b).toBeCloseTo(0.2, 12);
  expect(calibrate(new Float32Array([1, 0]), ['a', 'b'], platt)).toBeInstanceOf(Float32Array);
});

test('classes that cannot be fitted are named', () => {
  const oneSided = { scores: new Float64Array([0.6, 0.7]), targets: [1, Number.NaN], classNames: ['a', 'b'] };
  const platt = fitPlatt(oneSided);
  expect(platt.undefinedClasses).toEqual(['a', 'b']);
  expect(platt.slopes).toEqual([1, 1]);
  expect(reliability(oneSided).undefinedClasses).toEqual(['b']);
  const separated = {
    scores: new Float64Array([0.9, 0.1]),
    targets: [1, 0],
    classNames: ['a'],
    split: 'validation',
  };
  expect(fitTemperature(separated)).toMatchObject({ atBound: true, fittedOn: 'validation' });
  expect(fitTemperature(scored).atBound).toBe(false);
});

describe('bad arguments are named', () => {
  const logits = { scores: new Float64Array([0.5, 1.5]), targets: [0, 1], classNames: ['a', 'b'] };
  test.each([
    ['a score above 1', () => reliability(logits), 'scores at row 0, class b is 1.5'],
    ['a logit for the temperature', () => fitTemperature(logits), 'expected a probability'],
    ['a logit for Platt', () => fitPlatt(logits), 'expected a probability'],
    ['bins', () => reliability(scored, { bins: 0 }), 'bins is 0'],
    [
      'classes',
      () => calibrate(new Float64Array([0.5]), ['z'], fitPlatt(scored)),
      'the calibration is for the classes class 0',
    ],
  ])('%s', (_, call, message) => {
    expect(call).toThrow(RangeError);
    expect(call).toThrow(message);
  });
});
