import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readVectors } from '../../test/files.js';
import { columnOf, labelOrUnknown, type ScoredRows, scoredRows } from '../../test/scoredRows.js';
import { averagePrecision, rocAuc } from './averagePrecision.js';
import { measure } from './measure.js';
import type { Metrics } from './metrics.js';
import { rankingCurves } from './rankingCurves.js';

interface MetricsCase {
  readonly scores: number[][];
  readonly targets: number[][];
  readonly classImportance: number[];
  readonly threshold: number;
  readonly expected: Partial<Record<keyof Metrics, number | null | (number | null)[]>>;
}
const cases: MetricsCase[] = readVectors('metrics.json');
const namesOf = (classes: number) => Array.from({ length: classes }, (_, j) => `class ${j}`);

test.each(cases.map((given, index) => ({ ...given, index })))(
  'golden case $index agrees to 1e-9',
  (given) => {
    const { threshold, classImportance, expected } = given;
    const classNames = namesOf(classImportance.length);
    const scored = {
      scores: Float64Array.from(given.scores.flat()),
      targets: given.targets.flat(),
      classNames,
    };
    const result: Record<string, unknown> = { ...measure(scored, { threshold, classImportance }) };
    for (const [metric, values] of Object.entries(expected)) {
      const found = [result[metric]].flat();
      [values].flat().forEach((value, j) => {
        if (value === null) expect(found[j]).toBeNull();
        else expect(Math.abs(Number(found[j]) - value)).toBeLessThanOrEqual(1e-9);
      });
    }
  },
);

test('the example in the documentation holds', () => {
  const scores = new Float64Array([0.9, 0.2, 0.6, 0.1, 0.3, 0.7]);
  const result = measure({ scores, targets: [1, 0, 0, 0, 0, 1], classNames: ['crack', 'roots'] });
  expect(result.macroF1).toBeCloseTo(0.8333333333333333, 14);
  expect(result.perClassAP).toEqual([1, 1]);
  expect(result.f1Neg).toBe(0);
  expect(averagePrecision(new Float64Array([0.9, 0.8, 0.7, 0.6]), [1, 0, 1, 0])).toBeCloseTo(
    0.8333333333333333,
    14,
  );
  expect(rocAuc(new Float64Array([0.9, 0.8, 0.7, 0.6]), [1, 0, 1, 0])).toBe(0.75);
  const [curve] = rankingCurves({
    scores: new Float64Array([0.9, 0.8, 0.4]),
    targets: [1, 0, 1],
    classNames: ['crack'],
  });
  expect([...curve!.thresholds]).toEqual([0.9, 0.8, 0.4]);
  expect([...curve!.precision]).toEqual([1, 0.5, 2 / 3]);
  expect([...curve!.recall]).toEqual([0.5, 0.5, 1]);
  expect([...curve!.falsePositiveRate]).toEqual([0, 1, 1]);
});

const holds = (property: (rows: ScoredRows) => void, label?: fc.Arbitrary<number>) =>
  fc.assert(fc.property(scoredRows(label), property));

describe('for all rows, with ties and unknown labels', () => {
  test('counts match a plain loop over rows and classes', () => {
    holds((rows) => {
      const { scores, targets, classNames } = rows;
      const result = measure(rows);
      classNames.forEach((_, j) => {
        const count = (label: number, predicted: boolean) =>
          [...scores].filter(
            (score, i) => i % classNames.length === j && targets[i] === label && score >= 0.5 === predicted,
          ).length;
        expect(result.truePositives[j]).toBe(count(1, true));
        expect(result.falsePositives[j]).toBe(count(0, true));
        expect(result.falseNegatives[j]).toBe(count(1, false));
        expect(result.trueNegatives[j]).toBe(count(0, false));
      });
    }, labelOrUnknown);
  });

  test('AP is Σ (R_k - R_{k-1}) P_k over the distinct scores', () => {
    holds((rows) => {
      measure(rows).perClassAP.forEach((found, j) => {
        const { scores, labels } = columnOf(rows, j);
        const present = labels.filter((label) => label === 1).length;
        let recallBefore = 0;
        let expected = 0;
        for (const threshold of [...new Set(scores)].sort((a, b) => b - a)) {
          const taken = labels.filter((_, k) => scores[k]! >= threshold);
          const hits = taken.filter((label) => label === 1).length;
          expected += (hits / present - recallBefore) * (hits / taken.length);
          recallBefore = hits / present;
        }
        if (present === 0) expect(found).toBeNull();
        else expect(found).toBeCloseTo(expected, 12);
      });
    }, labelOrUnknown);
  });

  test('ROC-AUC is the share of ordered pairs, ties counted half', () => {
    holds((rows) => {
      measure(rows).perClassAUC.forEach((found, j) => {
        const { scores, labels } = columnOf(rows, j);
        const of = (label: number) => scores.filter((_, k) => labels[k] === label);
        const pairs = of(1).flatMap((p) => of(0).map((n) => (p > n ? 1 : p === n ? 0.5 : 0)));
        if (pairs.length === 0) expect(found).toBeNull();
        else expect(found).toBeCloseTo(pairs.reduce<number>((sum, pair) => sum + pair, 0) / pairs.length, 12);
      });
    }, labelOrUnknown);
  });

  test('AP and AUC do not change under monotone maps of the scores', () => {
    holds((rows) => {
      const mapped = { ...rows, scores: rows.scores.map((score) => Math.exp(3 * score) - 7) };
      expect(measure(mapped).perClassAP).toEqual(measure(rows).perClassAP);
      expect(measure(mapped).perClassAUC).toEqual(measure(rows).perClassAUC);
    }, labelOrUnknown);
  });

  test('negative-instance and any-class metrics, and the error rates, match a plain loop', () => {
    holds((rows) => {
      const { scores, targets, classNames } = rows;
      const classes = classNames.length;
      const table = Array.from({ length: scores.length / classes }, (_, row) => ({
        isPositive: targets.slice(row * classes, (row + 1) * classes).includes(1),
        isNegative: targets.slice(row * classes, (row + 1) * classes).every((label) => label === 0),
        labels: targets.slice(row * classes, (row + 1) * classes),
        predictions: [...scores.slice(row * classes, (row + 1) * classes)].map((score) => score >= 0.5),
      }));
      const positives = table.filter((row) => row.isPositive);
      const negatives = table.filter((row) => row.isNegative);
      const count = (members: typeof table, isPredicted: boolean) =>
        members.filter((row) => row.predictions.includes(true) === isPredicted).length;
      const result = measure(rows);
      const ratio = (part: number, whole: number) => (whole === 0 ? 0 : part / whole);
      const [tp, fp, fn, tn] = [
        count(positives, true),
        count(negatives, true),
        count(positives, false),
        count(negatives, false),
      ];
      expect(result).toMatchObject({
        rows: positives.length + negatives.length,
        positiveRows: positives.length,
        negativeRows: negatives.length,
        undecidedRows: table.length - positives.length - negatives.length,
      });
      expect(result.precisionAny).toBeCloseTo(ratio(tp, tp + fp), 12);
      expect(result.recallAny).toBeCloseTo(ratio(tp, tp + fn), 12);
      expect(result.f1Any).toBeCloseTo(ratio(2 * tp, 2 * tp + fp + fn), 12);
      expect(result.precisionNeg).toBeCloseTo(ratio(tn, tn + fn), 12);
      expect(result.recallNeg).toBeCloseTo(ratio(tn, tn + fp), 12);
      expect(result.f2Neg).toBeCloseTo(ratio(5 * tn, 5 * tn + 4 * fp + fn), 12);
      const meanRate = (members: typeof table, label: number, isPredicted: boolean) => {
        const rates = classNames.flatMap((_, j) => {
          const concerned = members.filter((row) => row.labels[j] === label);
          const wrong = concerned.filter((row) => row.predictions[j] === isPredicted).length;
          return concerned.length === 0 ? [] : [wrong / concerned.length];
        });
        return rates.length === 0 ? null : rates.reduce((sum, rate) => sum + rate, 0) / rates.length;
      };
      const expectRate = (found: number | null, expected: number | null) =>
        expected === null ? expect(found).toBeNull() : expect(found).toBeCloseTo(expected, 12);
      expectRate(result.fnr, meanRate(table, 1, false));
      expectRate(result.fpr, meanRate(table, 0, true));
      expectRate(result.fprInPositives, meanRate(positives, 0, true));
      expectRate(result.fprInNegatives, meanRate(negatives, 0, true));
      expectRate(result.falseAlarmRate, negatives.length === 0 ? null : fp / negatives.length);
    }, labelOrUnknown);
  });

  test('a row without a known label is ignored', () => {
    holds((rows) => {
      const extra = rows.classNames.map(() => Number.NaN);
      const longer = {
        ...rows,
        scores: Float64Array.from([...rows.scores, ...rows.classNames.map(() => 0.9)]),
        targets: [...rows.targets, ...extra],
      };
      expect(measure(longer)).toEqual({ ...measure(rows), undecidedRows: 1 });
    });
  });

  test('a soft target counts as present from 0.5 up', () => {
    holds(
      (rows) => {
        const hard = rows.targets.map((target) => (Number.isNaN(target) ? target : Number(target >= 0.5)));
        expect(measure(rows)).toEqual(measure({ ...rows, targets: hard }));
      },
      fc.constantFrom(0, 0.1, 0.49, 0.5, 0.8, 1, Number.NaN),
    );
  });

  test('every null metric is listed with a reason, and no metric is NaN', () => {
    holds((rows) => {
      const result = measure(rows);
      const named = new Set(
        result.undefinedMetrics.map(({ metric, className }) => `${metric} ${className ?? ''}`),
      );
      for (const [metric, value] of Object.entries(result)) {
        if (value === null) expect(named).toContain(`${metric} `);
        if (typeof value === 'number') expect(value).not.toBeNaN();
      }
      rows.classNames.forEach((name, j) => {
        expect(named.has(`perClassAP ${name}`)).toBe(result.perClassAP[j] === null);
        expect(named.has(`perClassAUC ${name}`)).toBe(result.perClassAUC[j] === null);
      });
    }, labelOrUnknown);
  });
});

test('each class can have its own threshold', () => {
  const scored = {
    scores: new Float64Array([0.4, 0.4, 0.6, 0.6]),
    targets: [1, 0, 1, 1],
    classNames: ['a', 'b'],
  };
  const result = measure(scored, { threshold: [0.3, 0.7] });
  expect(result.truePositives).toEqual([2, 0]);
  expect(result.thresholds).toEqual([0.3, 0.7]);
});

test('a float32 score of 0.7 is predicted at a threshold of 0.7', () => {
  const scored = { scores: new Float32Array([0.7]), targets: [1], classNames: ['a'] };
  expect(measure(scored, { threshold: 0.7 }).truePositives).toEqual([1]);
});

test('without class importance, F2-CIW is listed as undefined', () => {
  const result = measure({ scores: new Float64Array([0.7]), targets: [1], classNames: ['a'] });
  expect(result.f2Ciw).toBeNull();
  expect(result.undefinedMetrics).toContainEqual({
    metric: 'f2Ciw',
    reason: 'no class importance was given',
  });
});

describe('bad arguments are named with their place', () => {
  const scores = new Float64Array([0.1, 0.2, 0.3, 0.4]);
  const targets = [0, 1, 0, 1];
  const classNames = ['crack', 'roots'];
  test.each([
    [
      'shape',
      () => measure({ scores: scores.slice(1), targets, classNames }),
      'scores has 3 entries, which are not whole rows of 2',
    ],
    ['no rows', () => measure({ scores: new Float64Array(0), targets: [], classNames }), 'scores is empty'],
    ['no classes', () => measure({ scores, targets, classNames: [] }), 'classes is 0'],
    ['targets', () => measure({ scores, targets: [1], classNames }), 'targets has 1 entries; expected 4'],
    [
      'label',
      () => measure({ scores, targets: [0, 2, 0, 1], classNames }),
      'targets at row 0, class roots is 2',
    ],
    [
      'score',
      () => measure({ scores: new Float64Array([0, 0, Number.NaN, 0]), targets, classNames }),
      'scores at row 1, class crack is NaN',
    ],
    [
      'names',
      () => measure({ scores, targets, classNames: ['crack', 'crack'] }),
      "classNames holds 'crack' twice",
    ],
    [
      'threshold',
      () => measure({ scores, targets, classNames }, { threshold: Number.NaN }),
      'threshold is NaN',
    ],
    [
      'thresholds',
      () => measure({ scores, targets, classNames }, { threshold: [0.5] }),
      'threshold has 1 entries; expected 2',
    ],
    [
      'a threshold',
      () => measure({ scores, targets, classNames }, { threshold: [0.5, Number.NaN] }),
      'threshold of class roots is NaN',
    ],
    [
      'importance',
      () => measure({ scores, targets, classNames }, { classImportance: [1, -1] }),
      'classImportance of roots is -1',
    ],
    [
      'no importance',
      () => measure({ scores, targets, classNames }, { classImportance: [0, 0] }),
      'classImportance is 0 for every class',
    ],
  ])('%s', (_, call, message) => {
    expect(call).toThrow(RangeError);
    expect(call).toThrow(message);
  });
});
