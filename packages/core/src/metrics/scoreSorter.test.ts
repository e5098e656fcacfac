import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { descendingKey, scoreSorter } from './scoreSorter.js';

const ENDS_TIE = 0x80000000;
const ENTRY = 0x7fffffff;

function orderOf(scores: Float32Array | Float64Array): Uint32Array {
  const sorter = scoreSorter(scores.length);
  const words = new Uint32Array(scores.buffer);
  const wordsEach = words.length / Math.max(scores.length, 1);
  scores.forEach((_, i) => {
    sorter.keys[i] = descendingKey(words[(i + 1) * wordsEach - 1]!);
    sorter.entries[i] = i;
  });
  const order = new Uint32Array(scores.length);
  sorter.sort(scores.length, (entry) => scores[entry & ENTRY]!, ENDS_TIE, order);
  return order;
}

function expectDescending(scores: Float32Array | Float64Array): void {
  const marked = orderOf(scores);
  const order = marked.map((entry) => entry & ENTRY);
  expect([...order].sort((a, b) => a - b)).toEqual([...scores.keys()]);
  for (let k = 1; k < order.length; k++) {
    const [before, after] = [scores[order[k - 1]!]!, scores[order[k]!]!];
    expect(before).toBeGreaterThanOrEqual(after);
    expect((marked[k - 1]! & ENDS_TIE) !== 0).toBe(before !== after);
  }
  if (scores.length > 0) expect(marked.at(-1)! & ENDS_TIE).not.toBe(0);
}

describe('scores are sorted in descending order, with the ends of ties marked', () => {
  test('any float64, including infinities and both zeros', () => {
    fc.assert(fc.property(fc.float64Array({ noNaN: true, maxLength: 200 }), expectDescending));
  });
  test('any float32', () => {
    fc.assert(fc.property(fc.float32Array({ noNaN: true, maxLength: 200 }), expectDescending));
  });
  test('scores that differ only in their last bits', () => {
    const steps = fc.array(fc.integer({ min: 0, max: 500 }), { maxLength: 200 });
    fc.assert(
      fc.property(steps, (chosen) =>
        expectDescending(Float64Array.from(chosen, (step) => 0.7 + step * 2 ** -50)),
      ),
    );
  });
  test('scores next to 0 on both sides', () => {
    expectDescending(new Float64Array([0, -5e-324, 5e-324, -0, -1e-310, 1e-310, 0]));
  });
});

test('three scores are sorted from the highest to the lowest', () => {
  expect([...orderOf(new Float32Array([0.2, 0.9, 0.5]))].map((entry) => entry & ENTRY)).toEqual([1, 2, 0]);
});
