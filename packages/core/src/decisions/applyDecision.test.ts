import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { plainRows } from '../../test/plainDecision.js';
import { labelOrUnknown, scoredRows } from '../../test/scoredRows.js';
import type { DecisionRule } from '../metrics/decisionCutoffs.js';
import { measure } from '../metrics/measure.js';
import { applyDecision } from './applyDecision.js';
import type { Decision } from './decision.js';
import { type FitDecisionOptions, fitDecision } from './fitDecision.js';

const classNames = ['crack', 'roots'];
const validation = {
  scores: new Float64Array([0.9, 0.2, 0.6, 0.1, 0.3, 0.1, 0.2, 0.8]),
  targets: [1, 0, 0, 0, 0, 0, 0, 1],
  classNames,
  split: 'validation',
};
const plain: FitDecisionOptions = { budget: { falseAlarms: 0.05, confidence: null }, kappa: 0 };
const decision = fitDecision(validation, plain);
const elsewhere = {
  ...validation,
  scores: validation.scores.map((score) => score * 0.9 + 0.05),
  split: 'test',
};

const fittable = scoredRows(labelOrUnknown).filter((rows) => {
  const kinds = plainRows(rows).map(({ kind }) => kind);
  return kinds.includes('positive') && kinds.includes('negative');
});

describe('for all rows', () => {
  test('class j is predicted iff s ≥ τ and p_j ≥ t_j', () => {
    fc.assert(
      fc.property(
        fittable,
        fc.constantFrom<DecisionRule>('gate', 'class', 'shared', 'fixed'),
        (rows, rule) => {
          const fitted = fitDecision({ ...rows, split: 'validation' }, { rule });
          const { labels, presence } = applyDecision(rows.scores, fitted);
          const expected = plainRows(rows).flatMap((row) =>
            row.probabilities.map((probability, j) => {
              const threshold = fitted.thresholds[j] ?? null;
              const passes = fitted.presence !== null && row.presence >= fitted.presence;
              return Number(passes && threshold !== null && probability >= threshold);
            }),
          );
          expect([...labels]).toEqual(expected);
          expect([...presence]).toEqual(plainRows(rows).map((row) => row.presence));
        },
      ),
    );
  });
  test('measure counts the labels that applyDecision predicts', () => {
    fc.assert(
      fc.property(fittable, fc.constantFrom(0, 0.3, 0.6), (rows, falseAlarms) => {
        const fitted = fitDecision(
          { ...rows, split: 'validation' },
          { budget: { falseAlarms, confidence: null } },
        );
        const { labels } = applyDecision(rows.scores, fitted);
        const atHalf = measure({ ...rows, scores: Float64Array.from(labels) });
        const judged = measure(rows, { threshold: fitted, allowSameSplit: true });
        expect(judged).toMatchObject({
          perClassF1: atHalf.perClassF1,
          f1Neg: atHalf.f1Neg,
          falseAlarmRate: atHalf.falseAlarmRate,
          trueNegatives: atHalf.trueNegatives,
          fprInPositives: atHalf.fprInPositives,
          fprInNegatives: atHalf.fprInNegatives,
        });
      }),
    );
  });
});

test('a closed gate stops even a probability of 1', () => {
  const closed: Decision = { ...decision, presence: null };
  expect([...applyDecision(new Float64Array([1, 1]), closed).labels]).toEqual([0, 0]);
});

test('a gate that only a probability of 1 passes survives JSON', () => {
  const sure = {
    scores: new Float64Array([1, 0.999999, 0.999999, 0.5]),
    targets: [1, 0, 0, 0],
    classNames: ['crack'],
    split: 'validation',
  };
  const fitted: Decision = JSON.parse(JSON.stringify(fitDecision(sure, plain)));
  expect([...applyDecision(sure.scores, fitted).labels]).toEqual([1, 0, 0, 0]);
});

test('a float32 score of 0.7 is predicted at a threshold of 0.7', () => {
  const fixed = fitDecision(validation, { rule: 'fixed', threshold: 0.7 });
  expect([...applyDecision(new Float32Array([0.7, 0.6]), fixed).labels]).toEqual([1, 0]);
});

test('shrunk thresholds predict the same in float32 as during the fit', () => {
  const float32 = { ...validation, scores: Float32Array.from(validation.scores) };
  const fitted = fitDecision(float32, { ...plain, kappa: 10 });
  const { falseAlarmRate, macroF1 } = measure(float32, { threshold: fitted, allowSameSplit: true });
  expect(fitted.report).toMatchObject({ falseAlarmRate, macroFBeta: macroF1 });
  for (const threshold of fitted.thresholds) expect(threshold).toBe(Math.fround(threshold ?? Number.NaN));
});

describe('the guard between fitting and evaluating', () => {
  test('a decision is evaluated on another split', () => {
    expect(measure(elsewhere, { threshold: decision }).rows).toBe(4);
  });
  test('evaluating on the split of the fit is refused, by name and by content', () => {
    expect(() => measure(validation, { threshold: decision })).toThrow(
      "the decision was fitted on 'validation'",
    );
    expect(() => measure({ ...elsewhere, split: 'validation' }, { threshold: decision })).toThrow(RangeError);
    expect(() => measure({ ...validation, split: 'test' }, { threshold: decision })).toThrow('the same data');
    const { split, ...nameless } = elsewhere;
    expect(split).toBe('test');
    expect(() => measure(nameless, { threshold: decision })).toThrow('set its split');
  });
  test('validation metrics are available with allowSameSplit', () => {
    expect(measure(validation, { threshold: decision, allowSameSplit: true }).macroF1).toBe(1);
  });
  test('a fixed rule was not fitted and can be evaluated anywhere', () => {
    const fixed = fitDecision(validation, { rule: 'fixed' });
    expect(fixed).toMatchObject({ fittedOn: null, fingerprint: null, thresholds: [0.5, 0.5], presence: 0 });
    expect(measure(validation, { threshold: fixed })).toEqual(measure(validation));
  });
  test('other classes are refused', () => {
    const other = { ...elsewhere, classNames: ['crack', 'dents'] };
    expect(() => measure(other, { threshold: decision })).toThrow('for the classes crack, roots');
  });
  test('a decision survives JSON', () => {
    expect(measure(elsewhere, { threshold: JSON.parse(JSON.stringify(decision)) })).toEqual(
      measure(elsewhere, { threshold: decision }),
    );
  });
});

describe('what cannot be fitted is refused with the reason', () => {
  const { split, ...nameless } = validation;
  test.each<[string, () => unknown, string]>([
    ['no name', () => fitDecision(nameless), 'set its split'],
    ['no positives', () => fitDecision({ ...validation, targets: Array(8).fill(0) }), 'no positive row'],
    ['no negatives', () => fitDecision({ ...validation, targets: Array(8).fill(1) }), 'no negative row'],
    [
      'undecided rows',
      () => fitDecision({ ...validation, targets: [1, 0, Number.NaN, 0, 0, Number.NaN, 0, 1] }),
      '2 undecided',
    ],
    [
      'scores',
      () => fitDecision({ ...validation, scores: new Float64Array(8).fill(2) }),
      'expected a probability',
    ],
    ['β', () => fitDecision(validation, { beta: 0 }), 'beta is 0'],
    ['κ', () => fitDecision(validation, { kappa: -1 }), 'kappa is -1'],
    ['κ with a shared threshold', () => fitDecision(validation, { rule: 'shared', kappa: 10 }), 'no effect'],
    ['a threshold with a gate', () => fitDecision(validation, { threshold: 0.5 }), 'no effect'],
    ['thresholds', () => fitDecision(validation, { rule: 'fixed', threshold: [0.5] }), 'expected 2'],
    [
      'a threshold',
      () => fitDecision(validation, { rule: 'fixed', threshold: Number.NaN }),
      'class crack is NaN',
    ],
    ['false alarms', () => fitDecision(validation, { budget: { falseAlarms: 5 } }), 'falseAlarms is 5'],
    [
      'confidence',
      () => fitDecision(validation, { budget: { falseAlarms: 0.1, confidence: 1 } }),
      'confidence is 1',
    ],
    ['F1-Neg', () => fitDecision(validation, { budget: { f1Neg: 90 } }), 'f1Neg is 90'],
    ['groups', () => fitDecision({ ...validation, groups: [1] }), 'groups has 1 entries; expected 4'],
  ])('%s', (_, call, message) => {
    expect(split).toBe('validation');
    expect(call).toThrow(message);
  });
  test('without negatives, an F1-Neg budget that cannot be met predicts nothing and says so', () => {
    const { presence, report } = fitDecision(
      { ...validation, targets: Array(8).fill(1) },
      { budget: { f1Neg: 0.9 } },
    );
    expect(presence).toBeNull();
    expect(report).toMatchObject({ withinBudget: false, falseAlarmRate: null, falseAlarmBound: null });
  });
  test("rule 'class' needs no negatives", () => {
    const { report } = fitDecision({ ...validation, targets: Array(8).fill(1) }, { rule: 'class' });
    expect(report.macroFBeta).toBeGreaterThan(0);
  });
});

test('classes without positives are never predicted, and named', () => {
  const { thresholds, report } = fitDecision({ ...validation, targets: [1, 0, 0, 0, 0, 0, 1, 0] }, plain);
  expect(thresholds[1]).toBeNull();
  expect(report.neverPredicted).toEqual(['roots']);
  expect(report.remarks.join()).toContain('roots');
});
