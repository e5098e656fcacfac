import fc from 'fast-check';
import { expect, test } from 'vitest';
import { rowSorter } from './rowSorter.js';

function expectDescending(values: readonly number[]): void {
  const sorter = rowSorter(values.length);
  sorter.values.set(values);
  const order = sorter.descendingOrder(values.length);
  expect([...order].sort((a, b) => a - b)).toEqual([...values.keys()]);
  for (let k = 1; k < order.length; k++) {
    expect(values[order[k - 1]!]!).toBeGreaterThanOrEqual(values[order[k]!]!);
  }
}

test('any numbers come in descending order, with infinities and both zeros', () => {
  fc.assert(fc.property(fc.array(fc.double({ noNaN: true }), { maxLength: 200 }), expectDescending));
});

test('numbers that differ in their last bits only come in descending order', () => {
  const close = fc.array(fc.integer({ min: 0, max: 500 }), { maxLength: 200 });
  fc.assert(fc.property(close, (steps) => expectDescending(steps.map((step) => 0.7 + step * 2 ** -50))));
});

test('a sorter can be used again for fewer values', () => {
  const sorter = rowSorter(4);
  sorter.values.set([4, 3, 2, 1]);
  expect([...sorter.descendingOrder(4)]).toEqual([0, 1, 2, 3]);
  sorter.values.set([0.2, 0.9, 0.5]);
  expect([...sorter.descendingOrder(3)]).toEqual([1, 2, 0]);
});
