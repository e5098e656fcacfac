import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { readDigits } from '../digits/digits.js';
import { nameTableBuilder } from '../nameTable.js';
import { drawSplits } from './drawSplits.js';
import { loadSplits, saveSplits } from './splitFiles.js';
import { chooseSubset } from './subset.js';

const folder = mkdtempSync(join(tmpdir(), 'anyclass-splits-'));
afterAll(() => rmSync(folder, { recursive: true }));

const digits = readDigits({ scenes: { train: 2000, validation: 0, test: 0 } });
const { labels } = digits;

function names(count: number) {
  const builder = nameTableBuilder();
  for (let i = 0; i < count; i++) builder.add(`${i}.png`);
  return builder.finish();
}

test('splits saved as text are loaded as they were', async () => {
  const splits = { train: Int32Array.of(0, 3), validation: Int32Array.of(4), test: Int32Array.of() };
  await saveSplits(splits, names(5), folder);
  expect(readFileSync(join(folder, 'train.txt'), 'utf8')).toBe('0.png\n3.png\n');
  expect(await loadSplits(folder, names(5))).toEqual(splits);
});

test('an unknown name and a name in two splits are errors that name file and line', async () => {
  writeFileSync(join(folder, 'train.txt'), '0.png\n9.png\n');
  await expect(loadSplits(folder, names(5))).rejects.toThrow(
    "train.txt, line 2: the dataset has no image called '9.png'",
  );
  writeFileSync(join(folder, 'train.txt'), '0.png\n');
  writeFileSync(join(folder, 'test.txt'), '\n0.png\n');
  await expect(loadSplits(folder, names(5))).rejects.toThrow(
    "test.txt, line 2: '0.png' stands already in train.txt, line 1",
  );
});

test('a drawn split holds every row once, and each class in its share', () => {
  const splits = drawSplits(labels, undefined, {});
  const all = [...splits.train, ...splits.validation, ...splits.test].sort((a, b) => a - b);
  expect(all).toEqual([...Array(2000).keys()]);
  const ofClass = (rows: Int32Array) => rows.filter((row) => labels.at(row, 3) === 1).length;
  const total = ofClass(Int32Array.from(all));
  expect(Math.abs(ofClass(splits.train) - 0.7 * total)).toBeLessThan(3);
});

test('a share of 0 leaves the test split out', () => {
  for (const method of ['stratified', 'random'] as const) {
    const { train, validation, test } = drawSplits(labels, undefined, { method, shares: [0.8, 0.2, 0] });
    expect([train.length, validation.length, test.length]).toEqual([1600, 400, 0]);
    expect(new Set([...train, ...validation]).size).toBe(2000);
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

test('a subset keeps positives only, a ratio, or a number of instances, smaller within larger', () => {
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
