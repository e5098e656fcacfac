import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { columnOf, labelOrUnknown, scoredRows } from '../../test/scoredRows.js';
import { measure } from '../metrics/measure.js';
import { fBeta } from '../metrics/rates.js';
import { fitThresholds } from './fitThresholds.js';
import { thresholdCurves } from './thresholdCurves.js';

const beta = fc.constantFrom(0.5, 1, 2);

test('the examples in the documentation hold', () => {
  const scores = new Float64Array([0.9, 0.8, 0.4, 0.3]);
  const scored = { scores, targets: [1, 0, 1, 0], classNames: ['crack'], split: 'validation' };
  expect(fitThresholds(scored, { beta: 2 }).values).toEqual([0.4]);
  expect(thresholdCurves(scored, [0.35, 0.85]).macro.recall).toEqual([1, 0.5]);
});

test('a fitted threshold is the largest of the distinct scores with the highest F_β', () => {
  fc.assert(
    fc.property(scoredRows(labelOrUnknown), beta, (rows, b) => {
      const fitted = fitThresholds({ ...rows, split: 'validation' }, { beta: b });
      rows.classNames.forEach((name, j) => {
        const { scores, labels } = columnOf(rows, j);
        const at = (threshold: number) => {
          const count = (label: number, predicted: boolean) =>
            scores.filter((score, k) => labels[k] === label && score >= threshold === predicted).length;
          return fBeta(
            {
              truePositives: count(1, true),
              falsePositives: count(0, true),
              falseNegatives: count(1, false),
            },
            b,
          );
        };
        const candidates = [...new Set(scores)].sort((x, y) => y - x);
        const best = Math.max(0, ...candidates.map(at));
        expect(fitted.values[j]).toBe(candidates.find((candidate) => at(candidate) === best) ?? 0.5);
        expect(fitted.reached[j]).toBe(best);
        expect(fitted.undefinedClasses.includes(name)).toBe(!labels.includes(1));
      });
    }),
  );
});

describe('the guard between fitting and evaluating', () => {
  const classNames = ['crack'];
  const validation = {
    scores: new Float64Array([0.9, 0.2]),
    targets: [1, 0],
    classNames,
    split: 'validation',
  };
  const other = { scores: new Float64Array([0.8, 0.3]), targets: [0, 1], classNames, split: 'test' };
  const fitted = fitThresholds(validation);
  test('thresholds are applied to another split', () => {
    const result = measure(other, { threshold: fitted });
    expect(result.thresholds).toEqual([0.9]);
    expect(result.truePositives).toEqual([0]);
  });
  test('evaluating on the split of the fit is refused', () => {
    expect(() => measure(validation, { threshold: fitted })).toThrow("fitted on 'validation'");
    expect(() => measure({ ...other, split: 'validation' }, { threshold: fitted })).toThrow(RangeError);
  });
  test('renaming the data does not help', () => {
    expect(() => measure({ ...validation, split: 'test' }, { threshold: fitted })).toThrow('the same data');
  });
  test('allowSameSplit permits it', () => {
    expect(measure(validation, { threshold: fitted, allowSameSplit: true }).macroF1).toBe(1);
  });
  test('data without a name can be neither fitted nor evaluated', () => {
    const { split, ...nameless } = validation;
    expect(split).toBe('validation');
    expect(() => fitThresholds(nameless)).toThrow(TypeError);
    expect(() => measure(nameless, { threshold: fitted })).toThrow('set its split');
  });
  test('thresholds of other classes are refused', () => {
    expect(() => measure({ ...other, classNames: ['roots'] }, { threshold: fitted })).toThrow(
      'for the classes crack',
    );
  });
  test('they survive JSON', () => {
    expect(measure(other, { threshold: JSON.parse(JSON.stringify(fitted)) }).thresholds).toEqual([0.9]);
  });
  test('β must be positive', () => {
    expect(() => fitThresholds(validation, { beta: 0 })).toThrow('beta is 0');
  });
});

test('the curves match measure at each threshold', () => {
  fc.assert(
    fc.property(scoredRows(labelOrUnknown), (rows) => {
      const thresholds = [0, 0.25, 0.5, 1.1];
      const curves = thresholdCurves(rows, thresholds);
      thresholds.forEach((threshold, t) => {
        const at = measure(rows, { threshold });
        expect(curves.perClass.map((curve) => curve.f1[t])).toEqual(at.perClassF1);
        expect(curves.perClass.map((curve) => curve.precision[t])).toEqual(at.perClassPrecision);
        expect(curves.macro.f2[t]).toBeCloseTo(at.macroF2, 12);
        expect(curves.macro.recall[t]).toBeCloseTo(at.macroRecall, 12);
        expect(curves.micro.f1[t]).toBe(at.microF1);
        expect(curves.micro.precision[t]).toBe(at.microPrecision);
        expect(curves.anyClass.f1[t]).toBe(at.f1Any);
        expect(curves.noClass.f1[t]).toBe(at.f1Neg);
        expect(curves.noClass.recall[t]).toBe(at.recallNeg);
      });
    }),
  );
});

test('the default thresholds are hundredths, and NaN is refused', () => {
  const scored = { scores: new Float64Array([0.9]), targets: [1], classNames: ['a'] };
  expect(thresholdCurves(scored).thresholds).toHaveLength(101);
  expect(() => thresholdCurves(scored, [0.5, Number.NaN])).toThrow('thresholds[1] is NaN');
});
