import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { closeDataset } from '../../dataset/dataset.js';
import { decodeImage } from '../../images/decoding/decode.js';
import { openDataset } from '../../openDataset.js';

const fixtures = resolve(import.meta.dirname, '../../../../test/fixtures/data');

test("Hugging Face's layout is read: a struct of bytes and path, and a list of class numbers with names", async () => {
  const dataset = await openDataset(join(fixtures, 'class-numbers.parquet'));
  expect(dataset.classes).toEqual(['bird', 'cat', 'dog']);
  const labels = [0, 1, 2, 3, 4].map((row) =>
    dataset.classes.filter((_, j) => dataset.labels.at(row, j) === 1),
  );
  expect(labels).toEqual([['bird', 'cat'], [], ['dog'], [], ['cat']]);
  expect(dataset.names.at(3)).toBe('class-numbers.parquet#3');
  const colors = await Promise.all(
    [0, 2, 4].map(async (row) => {
      const pixels = await decodeImage(await dataset.images.read(row), { width: 1, height: 1, channels: 3 });
      return [...pixels];
    }),
  );
  expect(colors).toEqual([
    [255, 0, 0],
    [0, 0, 255],
    [0, 0, 0],
  ]);
  await closeDataset(dataset);
});

test('boolean and 0/1 columns are classes, null is unknown, and an ID column names the rows', async () => {
  const dataset = await openDataset(join(fixtures, 'class-columns.parquet'));
  expect(dataset.classes).toEqual(['cat', 'dog']);
  expect(dataset.names.at(4)).toBe('e');
  expect([0, 1, 2, 3, 4].map((row) => [dataset.labels.at(row, 0), dataset.labels.at(row, 1)])).toEqual([
    [1, 0],
    [0, 1],
    [1, 1],
    [0, 0],
    [Number.NaN, 0],
  ]);
  await closeDataset(dataset);
});

test('files that do not belong together are refused', async () => {
  const spec = ['class-columns.parquet', 'class-numbers.parquet']
    .map((name) => join(fixtures, name))
    .join(',');
  await expect(openDataset(spec)).rejects.toThrow(
    "class-numbers.parquet: no column 'id', which class-columns.parquet has",
  );
});
