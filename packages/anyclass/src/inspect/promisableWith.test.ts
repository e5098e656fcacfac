import { promisable } from '@anyclass/core';
import { expect, test } from 'vitest';
import { labelMatrixBuilder } from '../data/dataset/labelMatrix.js';
import { candidatesText, promisableText, promisableWith } from './promisableWith.js';

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
  expect(promisableText(found).split('\n').slice(0, 7)).toEqual([
    'what can be promised about new data, with 95% confidence',
    '  75 negatives in validation: at most 4% false alarms; it takes 74 more for 2%, 224 more for 1%',
    '    100 more labeled negatives: 1.7% could be promised, and a rate of 5% would be known to 2.4% to 9.5%',
    '    300 more labeled negatives: 0.8% could be promised, and a rate of 5% would be known to 3.1% to 7.8%',
    '    1,000 more labeled negatives: 0.28% could be promised, and a rate of 5% would be known to 3.8% to 6.5%',
    '  25 positives in validation: at most 11.3% missed; it takes 34 more for 5%, 124 more for 2%, 274 more for 1%',
    expect.stringMatching(/^ {4}100 more labeled positives: 2.4% could be promised/),
  ]);
});

test('counts groups once, on the rows that are held back for the decision', () => {
  const codes = Int32Array.from({ length: 100 }, (_, row) => Math.floor(row / 2));
  const groups = { column: 'patient', codes, names: Array.from({ length: 50 }, (_, i) => `p${i}`) };
  const found = promisableWith({ ...dataset(40), groups });
  expect(found).toMatchObject({ split: 'decision', of: 'groups' });
  expect([found.negatives.instances, found.positives.instances]).toEqual([20, 10]);
  expect(promisableText(found)).toContain('20 groups with a negative in decision');
});

test('without a choice on validation, no rows are held back; what a choice would cost is said', () => {
  const of = (instances: number) =>
    ({
      split: 'validation',
      of: 'rows',
      negatives: promisable(instances),
      positives: promisable(9),
    }) as const;
  // 5% at 95% lets 19 of 560 pass; for one of 8, 15.
  expect(candidatesText(of(560))).toMatch(
    /no rows are held back.*let 15 of 560 negatives pass the gate instead of 19/,
  );
  expect(candidatesText(of(70))).toContain('too few negatives to promise 5%');
  expect(candidatesText(of(20))).not.toContain('8 runs');
  expect(candidatesText({ ...of(560), split: 'decision' })).toContain('rows of its own');
});
