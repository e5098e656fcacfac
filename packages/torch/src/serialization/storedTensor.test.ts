import { expect, test } from 'vitest';
import { elementCount, tensorBytes } from './storedTensor.js';

test('a shape has as many elements as the product of its sizes', () => {
  expect(elementCount([2, 3, 4])).toBe(24);
  expect(elementCount([])).toBe(1);
  expect(tensorBytes('float16', [2, 3])).toBe(12);
});

test('a shape with a 0 is empty, however large its other sizes', () => {
  expect(elementCount([2 ** 40, 0, 2 ** 40])).toBe(0);
});

test.each([[[-1]], [[0.5]], [[Number.NaN]], [[2 ** 53]], [[2 ** 30, 2 ** 30]]])(
  '%j is not a shape',
  (shape) => {
    expect(elementCount(shape)).toBeUndefined();
  },
);

test('a tensor whose bytes cannot be counted has no length, though its elements can', () => {
  expect(elementCount([2 ** 52])).toBe(2 ** 52);
  expect(tensorBytes('float64', [2 ** 52])).toBeUndefined();
});
