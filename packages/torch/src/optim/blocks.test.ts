import fc from 'fast-check';
import { expect, test } from 'vitest';
import { arange, zeros } from '../index.js';
import { foreachAddList_, foreachAddScalar_ } from '../tensor/operators.generated.js';
import { inBlocks } from './blocks.js';

const sizes = fc.array(fc.integer({ min: 0, max: 40 }), { maxLength: 8 });

test('every element is in exactly one block, together with the same element of the other columns', () => {
  fc.assert(
    fc.property(sizes, fc.integer({ min: 1, max: 25 }), (lengths, elements) => {
      const sources = lengths.map((length, i) => arange(100 * i, 100 * i + length));
      const sums = lengths.map((length) => zeros([length]));
      inBlocks([sums, sources], elements, (block, targets, pieces) => {
        const total = pieces.reduce((count, piece) => count + piece.numel, 0);
        expect(total).toBeLessThanOrEqual(elements);
        pieces.forEach((piece, i) => {
          if (piece.numel > 0) expect(Math.floor(piece.amin().toNumber() / 100)).toBe(block.rows[i]);
        });
        foreachAddList_(targets, pieces);
      });
      expect(sums.map((sum) => sum.toArray())).toEqual(sources.map((source) => source.toArray()));
    }),
  );
});

test('copies can change while the pieces stay', () => {
  fc.assert(
    fc.property(sizes, fc.integer({ min: 1, max: 25 }), (lengths, elements) => {
      const sources = lengths.map((length) => arange(0, length));
      const results = lengths.map((length) => zeros([length]));
      inBlocks([results, sources], elements, (block, targets, pieces) => {
        const copies = block.copy(pieces);
        foreachAddScalar_(copies, 1);
        foreachAddList_(targets, copies);
      });
      expect(results.map((result) => result.toArray())).toEqual(
        lengths.map((length) => arange(1, length + 1).toArray()),
      );
      expect(sources.map((source) => source.toArray())).toEqual(
        lengths.map((length) => arange(0, length).toArray()),
      );
    }),
  );
});

test('tensors whose memory cannot be split the same way stay whole', () => {
  const transposed = zeros([6, 4]).transpose(0, 1);
  const shapes: (readonly number[])[] = [];
  inBlocks([[transposed], [zeros([4, 6])]], 10, (block, targets) => {
    const copies = block.copy(targets);
    foreachAddScalar_(copies, 1);
    foreachAddList_(targets, copies);
    shapes.push(...targets.map(({ shape }) => shape));
  });
  expect(shapes).toEqual([[4, 6]]);
  expect(transposed.sum().toNumber()).toBe(24);
});
