import { expect, test } from 'vitest';
import { sigmoid, softplus } from '../losses/logisticTerms.js';
import type { Scored } from '../metrics/scored.js';
import { NumpyRandom } from '../random/numpyRandom.js';
import { calibrate } from './calibrate.js';
import { chooseCalibration } from './chooseCalibration.js';
import { fitPlatt } from './plattScaling.js';
import { probabilityLogits } from './probabilityLogits.js';
import { fitTemperature } from './temperatureScaling.js';

/** Rows with two classes whose logits are too large by the given factors. */
function overconfident(rows: number, factors: readonly [number, number]) {
  const random = new NumpyRandom(7);
  const scores = new Float64Array(2 * rows);
  const targets = scores.map((_, i) => {
    const logit = 6 * random.random() - 4;
    scores[i] = sigmoid(factors[i % 2 === 0 ? 0 : 1] * logit);
    return Number(random.random() < sigmoid(logit));
  });
  return { scores, targets, classNames: ['crack', 'roots'], split: 'validation' };
}

test.each(['temperature', 'platt'] as const)('%s scaling is kept if it improves log loss', (method) => {
  const scored = overconfident(2000, [3, 3]);
  const { calibration, logLoss, unchangedClasses } = chooseCalibration(scored, { method });
  expect(calibration).toEqual(method === 'temperature' ? fitTemperature(scored) : fitPlatt(scored));
  expect(logLoss.calibrated).toBeLessThan(logLoss.uncalibrated);
  expect(unchangedClasses).toEqual([]);
});

test.each(['temperature', 'platt'] as const)('%s scaling is dropped if it does not', (method) => {
  // The scores are already calibrated, and there are too few rows to fit anything.
  const { calibration, logLoss, unchangedClasses } = chooseCalibration(overconfident(12, [1, 1]), { method });
  expect(calibration).toBeUndefined();
  expect(logLoss.calibrated).toBeGreaterThanOrEqual(logLoss.uncalibrated);
  expect(unchangedClasses).toEqual(['crack', 'roots']);
});

test('labels that are separated perfectly, or not at all, have no best temperature, and none is used', () => {
  const scores = Float64Array.from({ length: 40 }, (_, i) => (i % 4 === 0 ? 0.65 : 0.13));
  const choice = (targets: Float64Array) => chooseCalibration({ scores, targets, classNames: ['crack'] });
  const separated = choice(scores.map((score) => Number(score > 0.5)));
  expect(separated).toMatchObject({ calibration: undefined, unchangedClasses: ['crack'] });
  expect(separated.logLoss.calibrated).toBeLessThan(separated.logLoss.uncalibrated);
  expect(choice(scores.map((score) => Number(score < 0.5)))).toMatchObject({ calibration: undefined });
});

test('Platt scaling is chosen class by class', () => {
  const scored = overconfident(60, [1, 4]);
  const { calibration, unchangedClasses, logLoss } = chooseCalibration(scored, { method: 'platt' });
  const { slopes, intercepts } = fitPlatt(scored);
  expect(unchangedClasses).toEqual(['crack']);
  expect(calibration).toMatchObject({ slopes: [1, slopes[1]], intercepts: [0, intercepts[1]] });
  expect(logLoss.calibrated).toBeLessThan(logLoss.uncalibrated);
});

test('the log losses come from rows that the calibration was not fitted on, without unknown labels', () => {
  const scored = overconfident(40, [2, 2]);
  scored.targets[5] = Number.NaN;
  const order = [...new NumpyRandom(3).permutation(40)];
  const lossOf = (scores: Float64Array, targets: Float64Array) =>
    probabilityLogits(scores).reduce((sum, logit, i) => {
      return Number.isNaN(targets[i]) ? sum : sum + softplus(logit) - targets[i]! * logit;
    }, 0);
  const part = (keep: (k: number) => boolean) => {
    const places = order.filter((_, k) => keep(k)).flatMap((row) => [2 * row, 2 * row + 1]);
    return {
      scores: Float64Array.from(places, (i) => scored.scores[i]!),
      targets: Float64Array.from(places, (i) => scored.targets[i]!),
      classNames: scored.classNames,
    };
  };
  let calibrated = 0;
  for (const fold of [0, 1, 2, 3]) {
    const held = part((k) => k % 4 === fold);
    const temperature = fitTemperature(part((k) => k % 4 !== fold));
    const moved = Float64Array.from(calibrate(held.scores, held.classNames, temperature));
    calibrated += lossOf(moved, held.targets);
  }
  const { logLoss } = chooseCalibration(scored, { folds: 4, seed: 3 });
  expect(logLoss.uncalibrated).toBeCloseTo(lossOf(scored.scores, scored.targets) / 79, 12);
  expect(logLoss.calibrated).toBeCloseTo(calibrated / 79, 12);
});

test.each([1, 2.5, 13])('%d folds are refused', (folds) => {
  expect(() => chooseCalibration(overconfident(12, [1, 1]), { folds })).toThrow(`folds is ${folds}`);
});

test('rows of a group are in one fold, so that repeated rows do not speak for themselves', () => {
  // Labels are noise, each row repeated five times: a calibration that sees the copies of held-out rows seems to help.
  const random = new NumpyRandom(3);
  const rows = Array.from({ length: 12 }, () => [random.random(), Number(random.random() < 0.5)] as const);
  const repeated = rows.flatMap((row, group) => Array.from({ length: 5 }, () => ({ row, group })));
  const scored = {
    scores: Float64Array.from(repeated, ({ row: [score] }) => score),
    targets: repeated.map(({ row: [, label] }) => label),
    classNames: ['crack'],
  };
  const groups = repeated.map(({ group }) => group);
  const loss = (given: Scored) => chooseCalibration(given, { method: 'platt', folds: 4 }).logLoss.calibrated;
  expect(loss({ ...scored, groups })).toBeGreaterThan(loss(scored) + 0.02);
  expect(() => chooseCalibration({ ...scored, groups }, { folds: 20 })).toThrow('the number of groups, 12');
});
