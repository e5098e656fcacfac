import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ChildState } from '../events/runEvent.js';
import { firstRow, rowAfter } from './childRow.js';

const states: readonly ChildState[] = [
  'waiting',
  'elsewhere',
  'running',
  'finished',
  'failed',
  'interrupted',
];

test('a run that stops and starts again counts the time since its last start', () => {
  const name = 'bce-seed1';
  let row = firstRow(name, 10);
  row = rowAfter(row, { type: 'child', name, state: 'running' }, 1000);
  row = rowAfter(row, { type: 'child', name, state: 'interrupted' }, 61_000);
  expect(row).toMatchObject({ state: 'interrupted', seconds: 60 });
  row = rowAfter(row, { type: 'child', name, state: 'running' }, 100_000);
  expect(row.started).toEqual({ at: 100_000, epochs: 0 });
  row = rowAfter(row, { type: 'child', name, state: 'finished' }, 101_000);
  expect(row).toMatchObject({ state: 'finished', seconds: 1 });
});

test('only steps and epochs change the progress of a run', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...states)), (order) => {
      const rows = order.reduce(
        (row, state) =>
          rowAfter(row, { type: 'child', name: 'a', state, event: { type: 'note', text: '' } }, 0),
        firstRow('a', 3),
      );
      expect(rows.progress).toEqual(firstRow('a', 3).progress);
      expect(rows.state).toBe(order.at(-1) ?? 'waiting');
    }),
  );
});
