import { resolve } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { shownPath } from './shownPath.js';

test('a path below the current folder is shown relative to it, one elsewhere as it is', () => {
  expect(shownPath(resolve('data/labels.csv'))).toBe('data/labels.csv');
  expect(shownPath(resolve('..pipes.csv'))).toBe('..pipes.csv');
  expect(shownPath(resolve('../labels.csv'))).toBe(resolve('../labels.csv'));
  expect(shownPath(resolve('.'))).toBe(resolve('.'));
  expect(shownPath('../labels.csv')).toBe('../labels.csv');
});

test('the shown path leads to the same place', () => {
  const paths = fc.array(fc.constantFrom('a', '..', '.', '..b', 'c.csv'), { minLength: 1 });
  fc.assert(
    fc.property(paths, fc.boolean(), (parts, isAbsolute) => {
      const path = isAbsolute ? resolve(...parts) : parts.join('/');
      expect(resolve(shownPath(path))).toBe(resolve(path));
    }),
  );
});
