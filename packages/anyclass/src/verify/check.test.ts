import { expect, test } from 'vitest';
import { compare, placeText, worstOfCases } from './check.js';

const tolerance = { relative: 1e-3, floor: 0 };

test('the largest error counts, and its place is reported', () => {
  const check = compare('name', [1, 2.001, 3], [1, 2, 3], tolerance);
  expect(check.error).toBeCloseTo(5e-4, 8);
  expect(check).toMatchObject({ ok: true, place: { value: 1 } });
  expect(compare('name', [1, 2.1, 3], [1, 2, 3], tolerance).ok).toBe(false);
});

test.each([
  ['NaN', [Number.NaN]],
  ['an infinity', [Number.POSITIVE_INFINITY]],
  ['null', [null]],
  ['too few values', []],
  ['too many values', [1, 1]],
])('%s instead of a number fails', (_, found) => {
  expect(compare('name', found, 1, tolerance)).toMatchObject({
    ok: false,
    error: Number.POSITIVE_INFINITY,
  });
});

test('null matches only an undefined value', () => {
  expect(compare('name', [null], null, tolerance).ok).toBe(true);
  expect(compare('name', [0], null, tolerance).ok).toBe(false);
});

test('the floor tolerates errors of values near zero', () => {
  expect(compare('name', [1e-7], 0, tolerance).ok).toBe(false);
  expect(compare('name', [1e-7], 0, { relative: 1e-3, floor: 1e-3 }).ok).toBe(true);
});

test('the worst check of each quantity over all cases is kept, with its case', () => {
  const check = (name: string, error: number) => ({ name, error, tolerance: 1, ok: true });
  const cases = [
    [check('a', 0.1), check('b', 0)],
    [{ ...check('a', 0.5), place: { value: 2 } }],
    [check('a', 0.2)],
  ];
  expect(worstOfCases(cases, (checks) => checks)).toEqual([
    { ...check('a', 0.5), place: { case: 1, value: 2 } },
    { ...check('b', 0), place: { case: 0 } },
  ]);
});

test.each([
  [{ case: 7, value: 3 }, 'case 7, value 3'],
  [{ entry: 'fc.weight' }, 'fc.weight'],
  [{ counts: { found: 2, expected: 3 } }, '2 values instead of 3'],
  [
    { structure: { lacks: [{ name: 'a', shape: [1, 2] }], has: [{ name: 'a', shape: [2] }] } },
    'lacks a [1, 2], has a [2]',
  ],
])('the place %j reads %s', (place, text) => {
  expect(placeText(place)).toBe(text);
});
