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
