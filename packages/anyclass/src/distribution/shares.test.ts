import fc from 'fast-check';
import { expect, test } from 'vitest';
import { rowsOfStep } from '../data/batches/order.js';
import { largestShare, shareOf } from './shares.js';

test('the shares of all ranks cover everything once and in order, and differ by at most one', () => {
  fc.assert(
    fc.property(fc.nat(1000), fc.integer({ min: 1, max: 17 }), (count, worldSize) => {
      const shares = Array.from({ length: worldSize }, (_, rank) => shareOf(count, { rank, worldSize }));
      let next = 0;
      for (const { start, end } of shares) {
        expect(start).toBe(next);
        next = end;
      }
      expect(next).toBe(count);
      const sizes = shares.map(({ start, end }) => end - start);
      expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1);
      expect(Math.max(...sizes)).toBe(largestShare(count, { worldSize }));
    }),
  );
});

test('each part of a batch is divided among ranks, so that it has the same images on any number of ranks', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 40 }),
      fc.integer({ min: 1, max: 5 }),
      fc.integer({ min: 1, max: 5 }),
      (batchSize, world, parts) => {
        const rows = Int32Array.from({ length: batchSize }, (_, i) => i);
        const plan = { rows, batchSize, shuffle: false, seed: 0, dropLast: false, parts };
        const all = Array.from({ length: world }, (_, rank) => rowsOfStep({ ...plan, rank, world }, rows, 0));
        expect(all.flatMap((share) => [...share]).sort((a, b) => a - b)).toEqual([...rows]);
        for (const share of all) expect([...share]).toEqual([...share].sort((a, b) => a - b));
      },
    ),
  );
});
