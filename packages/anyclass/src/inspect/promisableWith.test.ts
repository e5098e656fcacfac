import { expect, test } from 'vitest';
import { labelMatrixBuilder } from '../data/dataset/labelMatrix.js';
import { promisableText, promisableWith } from './promisableWith.js';

/** 100 rows, of which every fourth is positive; two rows to a patient. */
function dataset(held: number) {
  const labels = labelMatrixBuilder(1);
  for (let row = 0; row < 100; row++) {
    labels.addRow();
    if (row % 4 === 0) labels.set(0);
  }
  const rows = Int32Array.from({ length: 100 }, (_, row) => row);
  const none = new Int32Array(0);
  return {
    labels: labels.finish(),
    splits: { train: none, validation: rows.slice(held), test: none, decision: rows.slice(0, held) },
  };
}

test('says what the negatives and positives of validation can promise, and how many more it takes', () => {
  const found = promisableWith(dataset(0));
  expect(found).toMatchObject({ split: 'validation', of: 'rows', negatives: { instances: 75 } });
  expect(found.negatives.rates).toEqual([
    { rate: 0.05, needed: 59, more: 0 },
    { rate: 0.02, needed: 149, more: 74 },
    { rate: 0.01, needed: 299, more: 224 },
  ]);
  expect(promisableText(found)).toBe(
    [
      'what can be promised about new data, with 95% confidence',
      '  75 negatives in validation: at most 4% false alarms; it takes 74 more for 2%, 224 more for 1%',
      '  25 positives in validation: at most 11.3% missed; it takes 34 more for 5%, 124 more for 2%, 274 more for 1%',
    ].join('\n'),
  );
});

test('counts groups once, on the rows that are held back for the decision', () => {
  const codes = Int32Array.from({ length: 100 }, (_, row) => Math.floor(row / 2));
  const groups = { column: 'patient', codes, names: Array.from({ length: 50 }, (_, i) => `p${i}`) };
  const found = promisableWith({ ...dataset(40), groups });
  expect(found).toMatchObject({ split: 'decision', of: 'groups' });
  expect([found.negatives.instances, found.positives.instances]).toEqual([20, 10]);
  expect(promisableText(found)).toContain('20 groups with a negative in decision');
});
