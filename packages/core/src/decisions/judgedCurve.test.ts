import { expect, test } from 'vitest';
import { measure } from '../metrics/measure.js';
import { NumpyRandom } from '../random/numpyRandom.js';
import { fitDecision } from './fitDecision.js';
import { judgedCurve } from './judgedCurve.js';

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
