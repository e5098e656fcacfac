import { expect, test } from 'vitest';
import { sharedRows } from './sharedRows.js';

test('rows in both are counted once, by name, hash or group', () => {
  const fitted = { names: ['a.png', 'b.png'], hashes: ['1', '2'], groups: [7, 8] };
  const judged = { names: ['b.png', 'c.png', 'd.png'], hashes: ['2', '3', '1'], groups: ['9', '7', '9'] };
  expect(sharedRows(fitted, judged)).toEqual({
    rows: 3,
    byName: 1,
    byHash: 2,
    byGroup: 1,
    examples: ['b.png', 'd.png', '7'],
  });
});

test('what only one side has, and what is empty, identifies nothing', () => {
  const none = { rows: 0, byName: 0, byHash: 0, byGroup: 0, examples: [] };
  expect(sharedRows({ names: ['a'] }, { groups: ['a'] })).toEqual(none);
  expect(sharedRows({ hashes: ['', 'x'] }, { hashes: ['', 'y'] })).toEqual(none);
});

test('rows of one name are different rows if their contents are known and differ', () => {
  const names = ['1.png', '2.png', '3.png'];
  const fitted = { names, hashes: ['a', 'b', ''] };
  const judged = { names, hashes: ['x', 'b', 'z'] };
  expect(sharedRows(fitted, judged)).toMatchObject({
    rows: 2,
    byName: 2,
    byHash: 1,
    examples: ['2.png', '3.png'],
  });
  // Two rows of a fit share a name: which of them it is cannot be told.
  expect(
    sharedRows({ names: ['1.png', '1.png'], hashes: ['a', 'b'] }, { names: ['1.png'], hashes: ['x'] }).rows,
  ).toBe(1);
  expect(sharedRows({ names }, judged).rows).toBe(3);
  // A copy under another name is called by that name.
  expect(
    sharedRows({ names: ['a.png'], hashes: ['x'] }, { names: ['copy.png'], hashes: ['x'] }).examples,
  ).toEqual(['copy.png']);
});
