import fc from 'fast-check';
import { expect, test } from 'vitest';
import { philox, randomStream, shuffled } from './philox.js';

test("Philox4x32-10 gives its authors' known answers", () => {
  const words = (counter: [number, number, number, number], key: [number, number]) =>
    [...philox(counter, key, new Uint32Array(4))].map((word) => word.toString(16).padStart(8, '0')).join(' ');
  expect(words([0, 0, 0, 0], [0, 0])).toBe('6627e8d5 e169c58d bc57ac4c 9b00dbd8');
  const ones = 0xffffffff;
  expect(words([ones, ones, ones, ones], [ones, ones])).toBe('408f276d 41c83b0e a20bc7c6 6d5451fd');
  expect(words([0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344], [0xa4093822, 0x299f31d0])).toBe(
    'd16cfe09 94fdcceb 5001e420 24126ea1',
  );
});

test('a stream depends on purpose, seed, epoch, and index', () => {
  const first = (...of: Parameters<typeof randomStream>) => randomStream(...of).uint32();
  const words = [
    first('order', 1, 2, 3),
    first('augmentation', 1, 2, 3),
    first('order', 2, 2, 3),
    first('order', 1, 3, 3),
    first('order', 1, 2, 4),
  ];
  expect(new Set(words).size).toBe(words.length);
  expect(first('order', 1, 2, 3)).toBe(words[0]);
});

test('below stays below its bound and reaches every number', () => {
  const stream = randomStream('sample', 0, 0, 0);
  const seen = new Set(Array.from({ length: 400 }, () => stream.below(7)));
  expect([...seen].sort()).toEqual([0, 1, 2, 3, 4, 5, 6]);
});

test('shuffling keeps every row exactly once', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.nat(1e6), { maxLength: 200 }), fc.nat(), (rows, seed) => {
      const order = shuffled(Int32Array.from(rows), randomStream('order', seed, 0, 0));
      expect([...order].sort((a, b) => a - b)).toEqual([...rows].sort((a, b) => a - b));
    }),
  );
});
