import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { testFolder } from '../../../files/test/testFolder.js';
import { tinyRun } from '../../test/tinyRun.js';
import { type BatchPlan, drawnRows, epochOrder, stepsPerEpoch } from '../data/batches/order.js';
import { labelMatrixBuilder } from '../data/dataset/labelMatrix.js';
import { samplingOf } from './sampling.js';
import { trainRun } from './trainRun.js';

const folder = testFolder();

/** 100 rows: 80 negatives, 18 with the first class, 2 with both. */
const labels = (() => {
  const builder = labelMatrixBuilder(2);
  for (let row = 0; row < 100; row++) {
    builder.addRow();
    if (row < 20) builder.set(0);
    if (row < 2) builder.set(1);
  }
  return builder.finish();
})();
const rows = Int32Array.from({ length: 100 }, (_, i) => i);

function plan(rates: Float64Array, seed = 0): BatchPlan {
  return { rows, rates, batchSize: 8, shuffle: true, dropLast: true, seed, rank: 0, world: 1 };
}

test('an epoch draws every row as often as its rate, rounded down or up, and always as many rows', () => {
  const rate = fc.oneof(fc.constantFrom(0.5, 1, 2), fc.double({ min: 0.1, max: 3, noNaN: true }));
  fc.assert(
    fc.property(fc.array(rate, { minLength: 100, maxLength: 100 }), fc.nat(99), (given, seed) => {
      const rates = Float64Array.from(given);
      const order = epochOrder(plan(rates, seed), 3);
      expect(order.length).toBe(drawnRows({ rows, rates }));
      expect(stepsPerEpoch(plan(rates))).toBe(Math.floor(order.length / 8));
      const scale = order.length / rates.reduce((sum, value) => sum + value, 0);
      rates.forEach((value, row) => {
        const count = order.filter((drawn) => drawn === row).length;
        expect(count).toBeGreaterThanOrEqual(Math.floor(value * scale - 1e-9));
        expect(count).toBeLessThanOrEqual(Math.ceil(value * scale + 1e-9));
      });
    }),
    { numRuns: 30 },
  );
});

test('over many epochs, rows are drawn by their rates, each epoch others, the same after a restart', () => {
  const rates = Float64Array.from(rows, (row) => (row < 20 ? 1.5 : 0.25));
  const counts = new Float64Array(100);
  for (let epoch = 0; epoch < 400; epoch++) {
    for (const row of epochOrder(plan(rates), epoch)) counts[row] = counts[row]! + 1;
  }
  counts.forEach((count, row) => {
    // Five standard deviations of a coin that falls 400 times.
    expect(Math.abs(count / 400 - rates[row]!)).toBeLessThan(0.125);
  });
  expect(epochOrder(plan(rates), 5)).toEqual(epochOrder(plan(rates), 5));
  expect(epochOrder(plan(rates), 5)).not.toEqual(epochOrder(plan(rates), 6));
});

test('negatives that are drawn less often count more, so that rate times weight is the same for all', () => {
  const { rates, weightOf, remark } = samplingOf({ sampling: { negatives: 0.25, repeat: 0 } }, labels, rows)!;
  expect(drawnRows({ rows, rates })).toBe(40);
  const products = Array.from(rows, (row) => rates[row]! * weightOf!(row));
  for (const product of products) expect(product).toBeCloseTo(0.4, 12);
  expect(remark).toBe(
    'Each epoch draws 40 of 100 training instances; 0.25 of the negatives, which count 4 times',
  );
});

test('images of rare classes repeat by the root of threshold over frequency', () => {
  const { rates, weightOf } = samplingOf({ sampling: { negatives: 1, repeat: 0.08 } }, labels, rows)!;
  expect(weightOf).toBeUndefined();
  expect([rates[0], rates[1], rates[2], rates[50]]).toEqual([2, 2, 1, 1]);
  expect(samplingOf({ sampling: { negatives: 1, repeat: 0 } }, labels, rows)).toBeUndefined();
});

test('a run with half of the negatives takes fewer steps and says so; its last epochs may be plain', async () => {
  const notes: string[] = [];
  const trained = async (name: string, changes: object) => {
    const { summary } = await trainRun(
      { ...tinyRun, epochs: 1, evaluation: { test: false, replicates: 0 }, ...changes },
      {
        run: join(folder, name),
        onEvent: (event) => void (event.type === 'note' && notes.push(event.text)),
      },
    );
    return summary!.validation;
  };
  await trained('half', { sampling: { negatives: 0.5 } });
  expect(notes.filter((note) => note.startsWith('Each epoch draws'))).toHaveLength(1);
  const rich = { augmentation: { rotation: 90, flip: 0 }, mixing: { union: 1 } };
  const plain = await trained('none', { augmentation: 'none' });
  expect(await trained('plain', { ...rich, plainEpochs: 1 })).toEqual(plain);
  expect(await trained('rich', rich)).not.toEqual(plain);
});
