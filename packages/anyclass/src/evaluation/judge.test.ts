import { fitDecision, NumpyRandom } from '@anyclass/core';
import { expect, test } from 'vitest';
import { affordableReplicates, judge } from './judge.js';

const names = (count: number) => Array.from({ length: count }, (_, j) => `class ${j}`);

test.each([
  [1000, 500_000, 17, 1000],
  [1000, 5_000_000, 17, 117],
  [1000, 50_000_000, 17, 100],
  [50, 50_000_000, 17, 50],
  [1000, 10, 1001, 100],
  [0, 50_000_000, 17, 0],
])('of %d replicates of %d rows and %d classes, %d are drawn', (wanted, rows, classes, drawn) => {
  const scored = { scores: { length: rows * classes }, classNames: names(classes) };
  expect(affordableReplicates(wanted, scored)).toBe(drawn);
});

test('a judgment says how many replicates its intervals have', () => {
  const classNames = names(1001);
  const targets = classNames.map((_, j) => Number(j === 0)).concat(classNames.map(() => 0));
  const scores = Float64Array.from(targets, (target) => 0.1 + 0.8 * target);
  const { intervals } = judge({ scores, targets, classNames, split: 'test' });
  expect(intervals?.replicates).toBe(100);
});

test('a promise on groups is contradicted without bootstrap replicates, too, and only where it is broken', () => {
  const random = new NumpyRandom(11);
  /** A third of the groups has positives alone, the others negatives; `shift` moves their scores up, as at another site. */
  const rowsOf = (split: string, shift: number) => {
    const targets = Array.from({ length: 900 }, (_, i) => Number(i % 3 === 0));
    const logit = (target: number) => 2 * random.random() + 2 * target + shift;
    const scores = Float64Array.from(targets, (target) => 1 / (1 + Math.exp(2 - logit(target))));
    return {
      scores,
      targets,
      classNames: ['crack'],
      groups: targets.map((_, i) => `${split} ${i % 300}`),
      split,
    };
  };
  const decisions = (['image', 'group'] as const).map((per) =>
    fitDecision(rowsOf('validation', 0), { budget: { falseAlarms: 0.1, per } }),
  );
  for (const decision of decisions) {
    expect(decision.report.guarantee.holds).toBe(true);
    for (const replicates of [0, 100]) {
      const away = judge(rowsOf('away', 1), { decision, replicates }).decided!;
      expect(away.judgedGroups).toEqual({ negatives: 200, positives: 100 });
      expect(away.contradicted).toMatchObject([{ about: 'false alarms', unit: away.unit, ofGroups: true }]);
      const { low, rate, high } = away.contradicted![0]!;
      expect([0.1 < low, low < rate, rate < high]).toEqual([true, true, true]);
      expect(judge(rowsOf('test', 0), { decision, replicates }).decided!.contradicted).toBeUndefined();
    }
  }
});
