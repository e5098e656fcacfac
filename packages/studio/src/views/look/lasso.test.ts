import { expect, test } from 'vitest';
import { circleAround, isInside, lassoIn, lassoText, type Point } from './lasso.js';

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

test('a lasso of the address is the one that was drawn, with fewer points', () => {
  const drawn = Array.from({ length: 500 }, (_, i): Point => [i / 700, Math.sin(i / 80) / 2]);
  const text = lassoText(drawn);
  expect(text.length).toBeLessThan(800);
  expect(lassoIn(text)?.[0]).toEqual([0, 0]);
  expect(lassoText(lassoIn(text) ?? [])).toBe(text);
  for (const nothing of [null, '', '1,2', '1,2,3,4', 'a,b,c,d,e,f']) expect(lassoIn(nothing)).toBeUndefined();
});

test('a circle has its center, and nothing further than its radius', () => {
  const circle = circleAround([0.4, 0.6], 0.1);
  expect(isInside([0.4, 0.6], circle)).toBe(true);
  expect(isInside([0.4, 0.69], circle)).toBe(true);
  expect(isInside([0.4, 0.71], circle)).toBe(false);
});
