import { expect, test } from 'vitest';
import { measure } from '../metrics/measure.js';
import { NumpyRandom } from '../random/numpyRandom.js';
import { fitDecision } from './fitDecision.js';
import { judgedCurve, tradeOffCurve } from './tradeOffCurve.js';

function simulated(seed: number, split: string) {
  const random = new NumpyRandom(seed);
  const targets: number[] = [];
  const scores = Float64Array.from({ length: 3 * 600 }, () => {
    const isPresent = random.random() < 0.1;
    targets.push(Number(isPresent));
    return random.random() ** (isPresent ? 0.5 : 3);
  });
  return { scores, targets, classNames: ['crack', 'roots', 'dents'], split };
}
const validation = simulated(1, 'validation');
const elsewhere = simulated(2, 'test');

test('both metrics increase from point to point, starting from a closed gate', () => {
  const curve = tradeOffCurve(validation);
  expect(curve.length).toBeGreaterThan(10);
  curve.slice(1).forEach((point, k) => {
    expect(point.falseAlarmRate).toBeGreaterThan(curve[k]!.falseAlarmRate);
    expect(point.fBeta).toBeGreaterThan(curve[k]!.fBeta);
  });
  expect(curve[0]!.falseAlarmRate).toBe(0);
});

test.each([0, 0.01, 0.05, 0.2, 1])(
  'a plain budget of %d achieves at least what the curve shows',
  (falseAlarms) => {
    for (const options of [{ kappa: 0 }, { kappa: 10, beta: 2 }]) {
      const curve = tradeOffCurve(validation, options);
      const onCurve = curve.filter(({ falseAlarmRate }) => falseAlarmRate <= falseAlarms).at(-1)!;
      const fitted = fitDecision(validation, { ...options, budget: { falseAlarms, confidence: null } });
      expect(fitted.report.macroFBeta).toBeGreaterThanOrEqual(onCurve.fBeta - 1e-12);
      expect(fitted.report.macroFBeta).toBeLessThan(onCurve.fBeta + 0.05);
    }
  },
);

test('judgedCurve matches fitting on one split and measuring on the other', () => {
  const budgets = [
    { falseAlarms: 0.05 },
    { falseAlarms: 0.2, confidence: null },
    { f1Neg: 'at 0.5' as const },
  ];
  const points = judgedCurve(validation, elsewhere, budgets, { kappa: 10, classImportance: [1, 2, 3] });
  budgets.forEach((budget, k) => {
    const decision = fitDecision(validation, { budget, kappa: 10 });
    expect(points[k]!.decision).toEqual(decision);
    expect(points[k]!.metrics).toEqual(
      measure(elsewhere, { threshold: decision, classImportance: [1, 2, 3] }),
    );
  });
  expect(judgedCurve(validation, elsewhere, [])).toEqual([]);
  expect(() => judgedCurve(validation, validation, budgets)).toThrow("fitted on 'validation'");
});

test('there is no curve without negatives or positives', () => {
  const all = (label: number) => ({ ...validation, targets: validation.targets.map(() => label) });
  expect(() => tradeOffCurve(all(1))).toThrow('no negative row');
  expect(() => tradeOffCurve(all(0))).toThrow('no positive row');
});
