import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  instancePresence,
  presenceOfRows,
  ROW_NEGATIVE,
  ROW_POSITIVE,
  ROW_UNDECIDED,
} from './instancePresence.js';

const target = fc.constantFrom(0, 0, 0.2, 0.49, 0.5, 0.7, 1, Number.NaN);

test('an instance is positive, negative or undecided according to its targets', () => {
  fc.assert(
    fc.property(fc.array(target, { minLength: 1, maxLength: 6 }), (targets) => {
      const isPositive = targets.some((each) => each >= 0.5);
      const isNegative = targets.every((each) => each < 0.5);
      expect(instancePresence(targets)).toBe(isPositive ? 'positive' : isNegative ? 'negative' : 'undecided');
    }),
  );
});

test('the examples in the documentation hold', () => {
  expect(instancePresence([0, 0.7, Number.NaN])).toBe('positive');
  expect(instancePresence([0, 0.2, 0])).toBe('negative');
  expect(instancePresence([0, 0, Number.NaN])).toBe('undecided');
  expect([...presenceOfRows([0, 1, 0, 0, 0, Number.NaN], 2)]).toEqual([
    ROW_POSITIVE,
    ROW_NEGATIVE,
    ROW_UNDECIDED,
  ]);
});

test('targets that are not whole rows are refused', () => {
  expect(() => presenceOfRows([0, 1, 0], 2)).toThrow('targets has 3 entries');
});
