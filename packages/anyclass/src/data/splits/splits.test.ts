import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testFolder } from '../../../../files/test/testFolder.js';
import { splitNames } from '../dataset/dataset.js';
import { type LabelMatrix, labelMatrixBuilder } from '../dataset/labelMatrix.js';
import { nameTableBuilder } from '../dataset/nameTable.js';
import { readDigits } from '../digits/digits.js';
import { drawSplits } from './drawSplits.js';
import { loadSplits, saveSplits } from './splitFiles.js';
import { chooseSubset, type SubsetOptions } from './subset.js';

const folder = testFolder();

const digits = readDigits({ scenes: { train: 2000, validation: 0, test: 0 } });
const { labels } = digits;

function names(count: number) {
  const builder = nameTableBuilder();
  for (let i = 0; i < count; i++) builder.add(`${i}.png`);
  return builder.finish();
}

test('splits survive the round trip through text files', async () => {
  const splits = {
    train: Int32Array.of(0, 3),
    validation: Int32Array.of(4),
    test: Int32Array.of(),
    decision: Int32Array.of(1),
  };
  await saveSplits(splits, names(5), folder);
  expect(readFileSync(join(folder, 'train.txt'), 'utf8')).toBe('0.png\n3.png\n');
  expect(await loadSplits(folder, names(5))).toEqual(splits);
});

test('too few rows for random splits is a data error that says what to do', () => {
  const builder = labelMatrixBuilder(1);
  for (let i = 0; i < 2; i++) builder.addRow();
  expect(() => drawSplits(builder.finish(), undefined, { method: 'random' })).toThrow(
    /^2 rows are too few to draw random splits .*data\.draw\.method/,
  );
});

test('an unknown name and a name in two splits are errors that name file and line', async () => {
  writeFileSync(join(folder, 'train.txt'), '0.png\n9.png\n');
  await expect(loadSplits(folder, names(5))).rejects.toThrow(
    "train.txt, line 2: the dataset has no image '9.png'",
  );
  writeFileSync(join(folder, 'train.txt'), '0.png\n');
  writeFileSync(join(folder, 'test.txt'), '\n0.png\n');
  await expect(loadSplits(folder, names(5))).rejects.toThrow(
    "test.txt, line 2: '0.png' is already in train.txt, line 1",
  );
});

test('drawn splits have every row once, and each class in proportion', () => {
  const splits = drawSplits(labels, undefined, {});
  const all = [...splits.train, ...splits.validation, ...splits.test].sort((a, b) => a - b);
  expect(all).toEqual([...Array(2000).keys()]);
  const ofClass = (rows: Int32Array) => rows.filter((row) => labels.at(row, 3) === 1).length;
  const total = ofClass(Int32Array.from(all));
  expect(Math.abs(ofClass(splits.train) - 0.7 * total)).toBeLessThan(3);
});

test('a test share of 0 means no test split', () => {
  for (const method of ['stratified', 'random'] as const) {
    const { train, validation, test } = drawSplits(labels, undefined, { method, shares: [0.8, 0.2, 0] });
    expect([train.length, validation.length, test.length]).toEqual([1600, 400, 0]);
    expect(new Set([...train, ...validation]).size).toBe(2000);
  }
});

test('a fourth share is held back for the decision', () => {
  for (const method of ['stratified', 'random'] as const) {
    for (const shares of [
      [0.5, 0.2, 0.2, 0.1],
      [0.7, 0.2, 0, 0.1],
    ]) {
      const splits = drawSplits(labels, undefined, { method, shares });
      for (const [s, split] of splitNames.entries())
        expect(Math.abs(splits[split].length - 2000 * shares[s]!)).toBeLessThanOrEqual(1);
      expect(new Set(splitNames.flatMap((split) => [...splits[split]])).size).toBe(2000);
    }
  }
});

test('rows of one group stay in one split, stratified or random', () => {
  const codes = Int32Array.from({ length: 2000 }, (_, row) => Math.floor(row / 7));
  const groups = { column: 'patient', codes, names: [...new Set(codes)].map(String) };
  for (const method of ['stratified', 'random'] as const) {
    const splits = drawSplits(labels, groups, { method });
    const groupsOf = (rows: Int32Array) => new Set(rows.map((row) => codes[row]!));
    const train = groupsOf(splits.train);
    const shared = [...splits.validation, ...splits.test].filter((row) => train.has(codes[row]!));
    expect(shared).toEqual([]);
    expect(splits.train.length).toBeGreaterThan(1300);
  }
});

test('with two groups, one is for training and one for validation, whatever the seed', () => {
  const codes = Int32Array.from({ length: 2000 }, (_, row) => row % 2);
  const groups = { column: 'patient', codes, names: ['a', 'b'] };
  for (let seed = 0; seed < 8; seed++) {
    const { train, validation, test } = drawSplits(labels, groups, { seed });
    expect([train.length, validation.length, test.length]).toEqual([1000, 1000, 0]);
  }
});

test('a subset keeps only positives, a ratio, or a number of instances; smaller subsets are part of larger ones', () => {
  const rows = Int32Array.from({ length: 2000 }, (_, row) => row);
  const positives = rows.filter((row) => labels.presence(row) === 'positive').length;
  expect(chooseSubset(rows, labels, { negativesPerPositive: 0 }).length).toBe(positives);
  const even = chooseSubset(rows, labels, { negativesPerPositive: 1 });
  expect(even.length).toBe(2 * positives);
  expect(even.filter((row) => labels.presence(row) === 'positive').length).toBe(positives);
  const small = new Set(chooseSubset(rows, labels, { instances: 100, seed: 3 }));
  const large = new Set(chooseSubset(rows, labels, { instances: 400, seed: 3 }));
  expect(small.size).toBe(100);
  expect([...small].every((row) => large.has(row))).toBe(true);
  expect(() => chooseSubset(rows, labels, { negativesPerPositive: 9 })).toThrow(
    /^data.subset.negativesPerPositive is 9, .*there are/,
  );
  expect(() => chooseSubset(rows, labels, { instances: 2001 })).toThrow(
    'data.subset.instances is 2001; there are 2000',
  );
});

/** Labels in which two of every ten rows are positive, three negative, and five undecided. */
function partialLabels(rows: number) {
  const builder = labelMatrixBuilder(2);
  for (let row = 0; row < rows; row++) {
    builder.addRow();
    if (row % 10 < 2) builder.set(0);
    else if (row % 10 < 7) builder.set(1, Number.NaN);
  }
  return builder.finish();
}

function counts(matrix: LabelMatrix, rows: Int32Array) {
  const of = { positive: 0, negative: 0, undecided: 0 };
  for (const row of rows) of[matrix.presence(row)] += 1;
  return of;
}

test('undecided rows are a separate stratum in drawn splits', () => {
  const partial = partialLabels(200);
  const { train, validation, test } = drawSplits(partial, undefined, { shares: [0.5, 0.3, 0.2] });
  expect(counts(partial, train)).toEqual({ positive: 20, negative: 30, undecided: 50 });
  expect(counts(partial, validation)).toEqual({ positive: 12, negative: 18, undecided: 30 });
  expect(counts(partial, test)).toEqual({ positive: 8, negative: 12, undecided: 20 });
});

test('a ratio of negatives keeps undecided rows, and a number of instances includes a proportional part of them', () => {
  const partial = partialLabels(200);
  const rows = Int32Array.from({ length: 200 }, (_, row) => row);
  const choose = (options: SubsetOptions) => counts(partial, chooseSubset(rows, partial, options));
  expect(choose({ negativesPerPositive: 0 })).toEqual({ positive: 40, negative: 0, undecided: 100 });
  expect(choose({ negativesPerPositive: 1 })).toEqual({ positive: 40, negative: 40, undecided: 100 });
  expect(choose({ instances: 100 })).toEqual({ positive: 20, negative: 30, undecided: 50 });
  expect(choose({ negativesPerPositive: 0.5, instances: 80 })).toEqual({
    positive: 20,
    negative: 10,
    undecided: 50,
  });
  expect(() => choose({ negativesPerPositive: 2 })).toThrow(
    'needs 80 negatives; there are 60 (100 instances are undecided)',
  );
  for (let instances = 2; instances <= 200; instances++) {
    const smaller = chooseSubset(rows, partial, { instances: instances - 1 });
    const larger = new Set(chooseSubset(rows, partial, { instances }));
    expect(larger.size).toBe(instances);
    expect(smaller.every((row) => larger.has(row))).toBe(true);
  }
});

test.each(['stratified', 'random'] as const)(
  'splits by group do not depend on the size of groups: 600 patients, 150 of them with three images (%s)',
  (method) => {
    const patients = Array.from({ length: 600 }, (_, i) => (i % 4 === 0 ? [i, i, i] : [i])).flat();
    const labels = labelMatrixBuilder(2);
    for (const [row, patient] of patients.entries()) {
      labels.addRow();
      if ((patient * 7 + row) % 5 === 0) labels.set(patient % 2);
    }
    const codes = Int32Array.from(patients);
    const groups = { column: 'patient', codes, names: Array.from({ length: 600 }, (_, i) => `p${i}`) };
    for (let seed = 0; seed < 10; seed++) {
      const splits = drawSplits(labels.finish(), groups, { seed, method });
      const found = splitNames.map((split) => new Set(Array.from(splits[split], (row) => codes[row]!)));
      expect(found.reduce((sum, { size }) => sum + size, 0)).toBe(600);
      for (const [s, share] of [0.7, 0.15, 0.15].entries()) {
        for (const [isLarge, count] of [
          [true, 150],
          [false, 450],
        ] as const) {
          const there = [...found[s]!].filter((patient) => (patient % 4 === 0) === isLarge).length;
          const tolerance = Math.max(2, 2 * Math.sqrt(count * share));
          expect(Math.abs(there - count * share)).toBeLessThanOrEqual(tolerance);
        }
      }
    }
  },
);
