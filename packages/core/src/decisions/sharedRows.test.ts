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
    examples: ['b.png', '2', '1', '7'],
  });
});

test('what only one side has, and what is empty, identifies nothing', () => {
  const none = { rows: 0, byName: 0, byHash: 0, byGroup: 0, examples: [] };
  expect(sharedRows({ names: ['a'] }, { groups: ['a'] })).toEqual(none);
  expect(sharedRows({ hashes: ['', 'x'] }, { hashes: ['', 'y'] })).toEqual(none);
});
