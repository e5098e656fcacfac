import { crossFit, NumpyRandom } from '@anyclass/core';
import { expect, test } from 'vitest';
import { foldsToFit } from '../evaluation/folds.js';
import { crossFittedMetrics } from './crossFitted.js';

const rows = 900;
const random = new NumpyRandom(5);
const targets = Array.from({ length: rows }, () => Number(random.random() < 0.4));
const scored = {
  scores: Float64Array.from(targets, (y) => 1 / (1 + Math.exp(2 - 2 * y - 4 * (random.random() - 0.5)))),
  targets,
  classNames: ['crack'],
  split: 'site',
  names: targets.map((_, i) => `${i}.png`),
  groups: targets.map((_, i) => `p${i >> 1}`),
};
/** The mean over groups that have rows of a kind of the share of those that count. */
function byGroup(isOfKind: (row: number) => boolean, counts: (row: number) => boolean): number {
  const of = new Map<string, boolean[]>();
  scored.groups.forEach((group, row) => {
    if (isOfKind(row)) of.set(group, [...(of.get(group) ?? []), counts(row)]);
  });
  const shares = [...of.values()].map((each) => each.filter(Boolean).length / each.length);
  return shares.reduce((sum, share) => sum + share, 0) / shares.length;
}

test('cross-fitted rates of what is limited are those of the outcomes, as the limits count', () => {
  const budget = { falseAlarms: 0.1, missed: 0.1 };
  const options = { replicates: 50 };
  const { outcomes } = crossFit(scored, { budget, folds: foldsToFit(scored)! });
  const { alarmRate, missedRate } = crossFittedMetrics(scored, { budget }, options)!;
  const isNegative = (row: number) => targets[row] === 0;
  expect(alarmRate!.value).toBeCloseTo(
    byGroup(isNegative, (row) => outcomes[row] === 'alarm'),
    12,
  );
  expect(missedRate!.value).toBeCloseTo(
    byGroup(
      (row) => !isNegative(row),
      (row) => outcomes[row] === 'clear',
    ),
    12,
  );
  expect(alarmRate!.low).toBeLessThan(alarmRate!.high);
  const perGroup = crossFittedMetrics(scored, { budget: { ...budget, per: 'group' } }, options)!;
  const whole = crossFit(scored, {
    budget: { ...budget, per: 'group' },
    folds: foldsToFit(scored)!,
  }).outcomes;
  const groups = Array.from({ length: rows / 2 }, (_, i) => [2 * i, 2 * i + 1]);
  const positive = groups.filter((of) => of.some((row) => !isNegative(row)));
  const cleared = positive.filter((of) => of.every((row) => whole[row] === 'clear'));
  expect(perGroup.missedRate!.value).toBeCloseTo(cleared.length / positive.length, 12);
  expect(crossFittedMetrics(scored, { budget: { falseAlarms: 0.1 } }, options)!.missedRate).toBeNull();
});
