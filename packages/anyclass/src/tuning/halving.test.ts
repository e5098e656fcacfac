import fc from 'fast-check';
import { expect, test } from 'vitest';
import { endsAtRung, rungs } from './halving.js';

const score = fc.option(fc.double({ min: 0, max: 1, noNaN: true }));

test('rungs grow by η from the first and stay below the last epoch', () => {
  expect(rungs({ eta: 3, minEpochs: 1 }, 40)).toEqual([1, 3, 9, 27]);
  expect(rungs({ eta: 3, minEpochs: 1 }, 27)).toEqual([1, 3, 9]);
  expect(rungs({ eta: 2, minEpochs: 4 }, 4)).toEqual([]);
});

test('the best trial at a rung never stops there, whatever the order of trials', () => {
  fc.assert(
    fc.property(fc.array(score, { maxLength: 40 }), fc.integer({ min: 2, max: 5 }), (others, eta) => {
      const best = Math.max(0, ...others.map((other) => other ?? 0));
      expect(endsAtRung(best, others, eta)).toBe(false);
    }),
  );
});

test('trials that arrive from worst to best all continue; from best to worst, only the first does', () => {
  const goingOn = (scores: readonly number[]) =>
    scores.filter((value, i) => !endsAtRung(value, scores.slice(0, i), 3)).length;
  const rising = Array.from({ length: 27 }, (_, i) => i);
  expect(goingOn(rising)).toBe(27);
  expect(goingOn(rising.toReversed())).toBe(1);
});

test('the worst of more than η distinct trials stops', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.double({ min: 0.1, max: 1, noNaN: true }), { minLength: 3, maxLength: 40 }),
      (others) => endsAtRung(0, others, 3) && endsAtRung(null, others, 3),
    ),
  );
});
