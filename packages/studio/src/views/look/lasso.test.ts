import { expect, test } from 'vitest';
import { isInside, type Point } from './lasso.js';

test('a lasso has the points inside of it, also if it is hollow', () => {
  const hollow: Point[] = [
    [0, 0],
    [4, 0],
    [4, 4],
    [2, 1],
    [0, 4],
  ];
  expect(isInside([0.5, 1], hollow)).toBe(true);
  expect(isInside([2, 3], hollow)).toBe(false);
  expect(isInside([5, 1], hollow)).toBe(false);
  expect(isInside([1, 1], [])).toBe(false);
});
