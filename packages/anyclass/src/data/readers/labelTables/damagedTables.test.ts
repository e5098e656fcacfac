import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testFolder } from '../../../../../files/test/testFolder.js';
import { damaged } from '../../../../test/damage.js';
import { DataError } from '../../../errors/dataError.js';
import { closeDataset, type Dataset } from '../../dataset/dataset.js';
import { openDataset } from '../../openDataset.js';

const folder = testFolder();

const columns = Array.from({ length: 40 }, (_, i) => `${i}.png,${i % 2},${i % 3 === 0 ? 1 : 0}`);
const rowsPerLabel = Array.from({ length: 40 }, (_, i) => `${i % 13}.png,${['cat', 'dog', 'cow'][i % 3]}`);
const json = JSON.stringify({
  images: Array.from({ length: 20 }, (_, id) => ({ id, file_name: `${id}.jpg` })),
  annotations: Array.from({ length: 30 }, (_, i) => ({ image_id: i % 20, category_id: (i % 2) + 1 })),
  categories: [
    { id: 1, name: 'cat', supercategory: 'animal' },
    { id: 2, name: 'boat', supercategory: 'vehicle' },
  ],
});

/** Opens 120 damaged copies of a file; each is read and passed to `look`, or refused by name. */
async function refusals(
  name: string,
  whole: string,
  look: (dataset: Dataset, text: string) => void = () => {},
): Promise<number> {
  let refused = 0;
  for (let i = 0; i < 120; i++) {
    const path = join(folder, name);
    const bytes = damaged(Buffer.from(whole), i);
    writeFileSync(path, bytes);
    let dataset: Dataset;
    try {
      dataset = await openDataset(path);
    } catch (error) {
      expect(error).toBeInstanceOf(DataError);
      expect(String(error)).toContain(name);
      refused += 1;
      continue;
    }
    expect(dataset.labels.rows).toBeGreaterThan(0);
    look(dataset, bytes.toString());
    await closeDataset(dataset);
  }
  return refused;
}

function labelsOf({ names, classes, labels }: Dataset): Map<string, string[]> {
  const present = (row: number) => classes.filter((_, j) => labels.isPresent(row, j));
  return new Map(Array.from({ length: names.length }, (_, row) => [names.at(row), present(row)]));
}

test('120 damaged tables of 0/1 columns: an intact line keeps its labels; the rest is read or refused', async () => {
  const refused = await refusals(
    'columns.csv',
    ['Filename,crack,root', ...columns].join('\n'),
    (dataset, text) => {
      const found = labelsOf(dataset);
      const [header = '', ...lines] = text.split('\n');
      const [, crack = '', root = ''] = header.split(',');
      for (const line of columns.filter((whole) => lines.includes(whole))) {
        const [name = '', ...cells] = line.split(',');
        const classes = [crack, root].map((title) => title.trim());
        expect(found.get(name)).toEqual(classes.filter((_, j) => cells[j] === '1'));
      }
    },
  );
  expect(refused).toBeGreaterThan(32);
});

test('120 damaged tables of one row per label: an image has the labels of the lines that name it', async () => {
  const refused = await refusals(
    'labels.csv',
    ['image,label', ...rowsPerLabel].join('\n'),
    (dataset, text) => {
      const found = labelsOf(dataset);
      const lines = text.split('\n').slice(1);
      for (let image = 0; image < 13; image++) {
        const own = lines.filter((line) => line.startsWith(`${image}.png,`));
        // A quote changes the meaning of everything after it.
        if (own.length === 0 || text.includes('"')) continue;
        const labels = own.map((line) => line.slice(line.indexOf(',') + 1).trim()).filter(Boolean);
        expect(found.get(`${image}.png`)).toEqual([...new Set(labels)].sort());
      }
    },
  );
  expect(refused).toBeGreaterThan(16);
});

test('120 damaged COCO files are read or refused with a message that names the file', async () => {
  expect(await refusals('damaged.json', json)).toBeGreaterThan(32);
});

test('120 files that are Parquet by name only are refused with a message that names the file', async () => {
  expect(await refusals('damaged.parquet', `PAR1${columns.join('\n')}PAR1`)).toBe(120);
});

test('a Parquet file whose schema has a negative number of children, on which hyparquet loops forever, is refused', async () => {
  const bytes = readFileSync(
    new URL('../../../../test/fixtures/data/class-numbers.parquet', import.meta.url),
  );
  expect(bytes[1608]).toBe(2); // one child, zigzag-encoded
  bytes[1608] = 3;
  const file = join(folder, 'negative.parquet');
  writeFileSync(file, bytes);
  await expect(openDataset(file)).rejects.toThrow(/negative\.parquet: .*schema is damaged/);
});
