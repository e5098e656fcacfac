import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Dataset } from '../data/dataset/dataset.js';
import { photographPreparation } from '../data/dataset/dataset.js';
import { labelMatrixBuilder } from '../data/dataset/labelMatrix.js';
import { readDigits } from '../data/digits/digits.js';
import { inspectDataset } from './inspectDataset.js';
import { inspectText } from './inspectText.js';
import { validationRemarks } from './validationPositives.js';

/** A dataset whose validation split has this many instances of each class, plus `negatives` without any. */
function withPositives(positives: readonly number[], negatives = 3): Dataset {
  const labels = labelMatrixBuilder(positives.length);
  positives.forEach((count, j) => {
    for (let i = 0; i < count; i++) {
      labels.addRow();
      labels.set(j);
    }
  });
  for (let i = 0; i < negatives; i++) labels.addRow();
  const { rows } = labels;
  const { fixedSplits, ...table } = readDigits({ scenes: { train: rows, validation: 0, test: 0 } });
  const none = new Int32Array(0);
  return {
    ...table,
    labels: labels.finish(),
    classes: positives.map((_, j) => `class ${j}`),
    splits: {
      train: none,
      validation: Int32Array.from({ length: rows }, (_, row) => row),
      test: none,
      decision: none,
    },
    splitOrigin: 'made up',
    preparation: photographPreparation,
  };
}

test('validation with 10 positives and 5 of each class is enough', () => {
  expect(validationRemarks(withPositives([5, 5]))).toEqual([]);
});

test('classes that are too rare in validation are named and counted', () => {
  expect(validationRemarks(withPositives([12, 4, 0]))).toEqual([
    expect.stringMatching(/^warning: 2 classes with fewer than 5 .* \(class 1: 4, class 2: 0\); /),
  ]);
});

test('validation with fewer than 10 positives, or none, gets a warning', () => {
  expect(validationRemarks(withPositives([9]))).toEqual([
    expect.stringMatching(
      /^warning: 9 positive validation instances: too few to choose an epoch or thresholds/,
    ),
  ]);
  expect(validationRemarks(withPositives([0]))[0]).toContain('warning: 0 positive validation instances');
});

test('without labels there is no warning', () => {
  expect(validationRemarks(withPositives([0], 0))).toEqual([]);
});

test('a class is named if and only if it has fewer than 5 positives', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(8), { minLength: 1, maxLength: 6 }), (positives) => {
      const told = validationRemarks(withPositives(positives)).join('\n');
      positives.forEach((count, j) => {
        expect(told.includes(`class ${j}: ${count}`)).toBe(count < 5);
      });
      const sum = positives.reduce((total, count) => total + count, 0);
      expect(told.includes('choose an epoch')).toBe(sum < 10);
    }),
  );
});

test('inspect finds the same problems', async () => {
  const inspection = await inspectDataset(withPositives([7, 2]), { images: false });
  expect(inspection.problems).toContainEqual(
    expect.objectContaining({ kind: 'scarce-validation', count: 9 }),
  );
  expect(inspection.problems).toContainEqual(
    expect.objectContaining({ kind: 'scarce-class', count: 1, examples: ['class 1: 2'] }),
  );
  expect(inspectText(inspection)).toContain('! 9 positive validation instances: too few');
});
