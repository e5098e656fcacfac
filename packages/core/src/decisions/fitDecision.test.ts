import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CLOSED, plainBestGate, plainMetrics, plainRows, plainThresholds } from '../../test/plainDecision.js';
import { labelOrUnknown, type ScoredRows, scoredRows } from '../../test/scoredRows.js';
import { measure } from '../metrics/measure.js';
import type { Decision, DecisionBudget } from './decision.js';
import { type FitDecisionOptions, fitDecision } from './fitDecision.js';

const beta = fc.constantFrom(0.5, 1, 2);
const kappa = fc.constantFrom(0, 10, 30);
const plainBudget: fc.Arbitrary<DecisionBudget> = fc.oneof(
  fc.record({ falseAlarms: fc.constantFrom(0, 0.05, 0.2, 0.5, 1), confidence: fc.constant(null) }),
  fc.record({ f1Neg: fc.constantFrom(0, 0.5, 0.8, 0.9, 1) }),
  fc.constant<DecisionBudget>({ f1Neg: 'at 0.5' }),
);
const anyBudget = fc.oneof(
  plainBudget,
  fc.record({ falseAlarms: fc.constantFrom(0.05, 0.3, 0.5), confidence: fc.constantFrom(0.5, 0.8, 0.95) }),
);

/** Rows that can be fitted, with a positive and a negative. Scores of exactly 0 and 1 and ties are common. */
const fittable = scoredRows(labelOrUnknown).filter((rows) => {
  const kinds = plainRows(rows).map(({ kind }) => kind);
  return kinds.includes('positive') && kinds.includes('negative');
});
const onValidation = (rows: ScoredRows) => ({ ...rows, split: 'validation' });
const isKept = (budget: DecisionBudget, decision: Decision, rows: ScoredRows) => {
  const { falseAlarmRate, f1Neg } = measure(rows, { threshold: decision, allowSameSplit: true });
  if ('falseAlarms' in budget) return falseAlarmRate! <= budget.falseAlarms;
  return f1Neg >= (budget.f1Neg === 'at 0.5' ? measure(rows).f1Neg : budget.f1Neg);
};

test('the example in the documentation holds', () => {
  const validation = {
    scores: new Float64Array([0.9, 0.2, 0.6, 0.1, 0.3, 0.1, 0.2, 0.8]),
    targets: [1, 0, 0, 0, 0, 0, 0, 1],
    classNames: ['crack', 'roots'],
    split: 'validation',
  };
  const decision = fitDecision(validation, { budget: { falseAlarms: 0.05, confidence: null }, kappa: 0 });
  expect(decision.thresholds).toEqual([0.9, 0.8]);
  expect(decision.report.macroFBeta).toBe(1);
});

describe('for all rows, with ties, unknown labels and probabilities of 0 and 1', () => {
  const holds = (
    property: (rows: ScoredRows, budget: DecisionBudget, beta: number) => void,
    budgets = plainBudget,
  ) => fc.assert(fc.property(fittable, budgets, beta, property), { numRuns: 300 });

  test('the gate matches the F_β of a plain search over every gate and threshold', () => {
    holds((rows, budget, b) => {
      const plain = plainRows(rows);
      const negatives = plain.filter(({ kind }) => kind === 'negative').length;
      const floor = 'f1Neg' in budget && budget.f1Neg === 'at 0.5' ? measure(rows).f1Neg : 0;
      const expected = plainBestGate(plain, b, ({ falseAlarms, f1Neg }) =>
        'falseAlarms' in budget
          ? falseAlarms / negatives <= budget.falseAlarms
          : f1Neg >= (budget.f1Neg === 'at 0.5' ? floor : budget.f1Neg),
      );
      const { report, presence, thresholds } = fitDecision(onValidation(rows), { budget, beta: b, kappa: 0 });
      expect(report.macroFBeta).toBeCloseTo(expected?.macroFBeta ?? 0, 12);
      expect(report.falseAlarms).toBe(expected?.falseAlarms ?? 0);
      expect(thresholds.map((threshold) => threshold ?? Number.POSITIVE_INFINITY)).toEqual(
        expected?.thresholds ?? rows.classNames.map(() => Number.POSITIVE_INFINITY),
      );
      const passes = plain.map((row) => presence !== null && row.presence >= presence);
      expect(passes).toEqual(plain.map((row) => row.presence >= (expected?.presence ?? CLOSED)));
    });
  });

  test('the budget is never exceeded on the data of the fit, unless nothing at all is predicted', () => {
    fc.assert(
      fc.property(
        fittable,
        anyBudget,
        beta,
        kappa,
        fc.constantFrom('gate', 'shared'),
        (rows, budget, b, k, rule) => {
          const shrunk = rule === 'gate' ? { kappa: k } : {};
          const decision = fitDecision(onValidation(rows), { rule, budget, beta: b, ...shrunk });
          expect(decision.report.withinBudget).toBe(isKept(budget, decision, rows));
          if (decision.report.withinBudget) return;
          expect(decision.presence).toBeNull();
          expect(decision.report.remarks[0]).toContain('No gate is within the budget');
        },
      ),
      { numRuns: 300 },
    );
  });

  test('the report agrees with measure', () => {
    fc.assert(
      fc.property(fittable, anyBudget, kappa, (rows, budget, k) => {
        const decision = fitDecision(onValidation(rows), { budget, kappa: k });
        const { report } = decision;
        const found = measure(rows, { threshold: decision, allowSameSplit: true });
        expect(report.macroFBeta).toBeCloseTo(found.macroF1, 12);
        expect(report.perClassFBeta).toEqual(found.perClassF1);
        expect(report.falseAlarmRate).toBe(found.falseAlarmRate);
        expect(report.f1Neg).toBe(found.f1Neg);
        expect([report.positives, report.negatives, report.undecided]).toEqual([
          found.positiveRows,
          found.negativeRows,
          found.undecidedRows,
        ]);
      }),
    );
  });

  test("rule 'class' is the gate at τ = 0", () => {
    holds((rows, budget, b) => {
      const { thresholds, presence } = fitDecision(onValidation(rows), {
        rule: 'class',
        budget,
        beta: b,
        kappa: 0,
      });
      expect(presence).toBe(0);
      expect(thresholds.map((threshold) => threshold ?? Number.POSITIVE_INFINITY)).toEqual(
        plainThresholds(plainRows(rows), 0, b),
      );
      const open = fitDecision(onValidation(rows), { budget: { f1Neg: 0 }, beta: b, kappa: 0 });
      const ungated = fitDecision(onValidation(rows), { rule: 'class', beta: b, kappa: 0 });
      expect(open.report.macroFBeta).toBeGreaterThanOrEqual(ungated.report.macroFBeta - 1e-12);
    });
  });

  test("rule 'shared' finds the best of all thresholds within the budget", () => {
    holds((rows, budget, b) => {
      const plain = plainRows(rows);
      const decision = fitDecision(onValidation(rows), { rule: 'shared', budget, beta: b });
      const [threshold] = decision.thresholds;
      expect(decision.thresholds).toEqual(rows.classNames.map(() => threshold));
      const negatives = plain.filter(({ kind }) => kind === 'negative').length;
      const floor = measure(rows).f1Neg;
      const reached = [...new Set([...rows.scores, Number.POSITIVE_INFINITY])].flatMap((score) => {
        const metrics = plainMetrics(
          plain,
          0,
          rows.classNames.map(() => score),
          b,
        );
        const isWithin =
          'falseAlarms' in budget
            ? metrics.falseAlarms / negatives <= budget.falseAlarms
            : metrics.f1Neg >= (budget.f1Neg === 'at 0.5' ? floor : budget.f1Neg);
        return isWithin ? [metrics.macroFBeta] : [];
      });
      expect(decision.report.macroFBeta).toBeCloseTo(Math.max(0, ...reached), 12);
    });
  });

  test('the order of the rows changes nothing', () => {
    fc.assert(
      fc.property(fittable, anyBudget, kappa, fc.nat(), (rows, budget, k, seed) => {
        const count = rows.scores.length / rows.classNames.length;
        const order = Array.from({ length: count }, (_, row) => row).sort(
          (a, b) => (((a + 1) * (seed + 7)) % 31) - (((b + 1) * (seed + 7)) % 31) || a - b,
        );
        const shuffled = takeRows(rows, order);
        const options: FitDecisionOptions = { budget, kappa: k };
        const { fingerprint, ...first } = fitDecision(onValidation(rows), options);
        expect(fitDecision(onValidation(shuffled), options)).toMatchObject(first);
        expect(fingerprint).not.toBeNull();
      }),
    );
  });

  test('the order of the classes changes nothing but rounding', () => {
    fc.assert(
      fc.property(fittable, plainBudget, (tied, budget) => {
        const rows = {
          ...tied,
          scores: tied.scores.map((score, i) => (score + Math.sin(i) / 50 + 0.05) / 1.1),
        };
        // Summing in another order may separate tied presence scores, which leads to other gates.
        fc.pre(!hasNearTies(rows));
        const classes = rows.classNames.length;
        const mirror = (i: number) => i - (i % classes) + (classes - 1 - (i % classes));
        const mirrored = {
          scores: rows.scores.map((_, i) => rows.scores[mirror(i)]!),
          targets: rows.targets.map((_, i) => rows.targets[mirror(i)]!),
          classNames: [...rows.classNames].reverse(),
        };
        const first = fitDecision(onValidation(rows), { budget, kappa: 0 });
        const second = fitDecision(onValidation(mirrored), { budget, kappa: 0 });
        expect(second.report.macroFBeta).toBeCloseTo(first.report.macroFBeta, 12);
        expect([...second.thresholds].reverse()).toEqual(first.thresholds);
        expect(second.report.falseAlarms).toBe(first.report.falseAlarms);
      }),
    );
  });

  test('a row without a known label changes nothing but the count of undecided rows', () => {
    fc.assert(
      fc.property(fittable, plainBudget, (rows, budget) => {
        const longer = {
          ...rows,
          // At an existing presence score, so that no gate is added.
          scores: Float64Array.from([...rows.scores, ...rows.scores.slice(0, rows.classNames.length)]),
          targets: [...rows.targets, ...rows.classNames.map(() => Number.NaN)],
        };
        const plain = fitDecision(onValidation(rows), { budget, kappa: 0 });
        const other = fitDecision(onValidation(longer), { budget, kappa: 0 });
        expect(other.thresholds).toEqual(plain.thresholds);
        expect(other.presence).toEqual(plain.presence);
        expect(other.report.undecided).toBe(plain.report.undecided + 1);
        expect(other.report.falseAlarms).toBe(plain.report.falseAlarms);
      }),
    );
  });
});

test('a threshold that is the shared one already stays a score of the data, to the last bit', () => {
  const score = fc.double({ min: 0.001, max: 0.999, noNaN: true });
  fc.assert(
    fc.property(fc.array(score, { minLength: 2, maxLength: 20 }), (scores) => {
      // One class: its own best threshold and the best shared one are the same.
      const scored = {
        scores: Float64Array.from(scores),
        targets: scores.map((_, row) => row % 2),
        classNames: ['crack'],
        split: 'validation',
      };
      const [threshold] = fitDecision(scored, { budget: { falseAlarms: 1, confidence: null } }).thresholds;
      expect(scores).toContain(threshold);
    }),
  );
});

test('a positive row is found by any predicted class, whether or not its label is known', () => {
  const absentButScored = Array.from({ length: 5 }, () => ({ scores: [0.5, 0.8], targets: [0, 1] }));
  const rows = [
    { scores: [0.1, 0.9], targets: [1, Number.NaN] },
    { scores: [0.9, 0], targets: [1, 0] },
    ...absentButScored,
    { scores: [0, 0], targets: [0, 0] },
  ];
  const validation = {
    scores: Float64Array.from(rows.flatMap((row) => row.scores)),
    targets: rows.flatMap((row) => row.targets),
    classNames: ['crack', 'roots'],
    split: 'validation',
  };
  const { report, thresholds } = fitDecision(validation, { budget: { f1Neg: 1 }, kappa: 0 });
  expect(thresholds).toEqual([0.9, 0.8]);
  expect(report).toMatchObject({ f1Neg: 1, withinBudget: true });
});

function takeRows({ scores, targets, classNames }: ScoredRows, order: readonly number[]): ScoredRows {
  const places = order.flatMap((row) => classNames.map((_, j) => row * classNames.length + j));
  return {
    scores: Float64Array.from(places, (i) => scores[i]!),
    targets: places.map((i) => targets[i]!),
    classNames,
  };
}

function hasNearTies(rows: ScoredRows): boolean {
  const presences = plainRows(rows)
    .map(({ presence }) => presence)
    .sort((a, b) => a - b);
  return presences.some((value, k) => k > 0 && value - presences[k - 1]! < 1e-9 * value);
}
