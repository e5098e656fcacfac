import { measure } from '@anyclass/core';
import { expect, test } from 'vitest';
import { isNoBetterThanChance } from './chance.js';

/** Every fourth row is positive; `lift` of them score above 0.5, of the others one in ten. */
function scored(lift: number) {
  const targets = Array.from({ length: 400 }, (_, row) => Number(row % 4 === 0));
  const scores = Float64Array.from(targets, (target, row) =>
    (row * 7919) % 100 < 100 * (target === 1 ? lift : 0.1) ? 0.9 : 0.1,
  );
  return { scores, targets, classNames: ['crack'] };
}

test('predictions that positives get no more often than negatives are no better than chance', () => {
  expect([0.1, 0.12, 0.6].map((lift) => isNoBetterThanChance(measure(scored(lift))))).toEqual([
    true,
    true,
    false,
  ]);
  expect(isNoBetterThanChance(measure({ ...scored(0.5), scores: new Float64Array(400) }))).toBe(false);
});
