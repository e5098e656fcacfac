import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testFolder } from '../../../../files/test/testFolder.js';
import { DataError } from '../../errors/dataError.js';
import { type OpenOptions, openDataset } from '../openDataset.js';

const folder = testFolder();

function write(name: string, ...lines: string[]): string {
  const path = join(folder, name);
  writeFileSync(path, `${lines.join('\n')}\n`);
  return path;
}

const table = write(
  'pipes.csv',
  'Filename,crack,root,split',
  '1.png,1,0,train',
  '2.png,0,,train',
  '3.png,0,0,validation',
);

/** The labels by image, as text. */
async function labelsOf(spec: string, options: OpenOptions) {
  const dataset = await openDataset(spec, options);
  const { names, classes, labels, corrections } = dataset;
  await dataset.images.close();
  const rows = Array.from({ length: names.length }, (_, row) => [
    names.at(row),
    classes.map((name, j) => `${name} ${labels.at(row, j)}`).join(' '),
  ]);
  return { labels: Object.fromEntries(rows), corrections, dataset };
}

test('corrections replace labels, and those that differ from the table are counted', async () => {
  const corrections = write(
    'fixes.csv',
    'image,class,label',
    '1.png,crack,0',
    '1.png,root,0.25',
    '2.png,root,1',
    '3.png,crack,',
    '3.png,root,0',
  );
  const { labels, corrections: counted } = await labelsOf(table, { corrections });
  expect(labels).toEqual({
    '1.png': 'crack 0 root 0.25',
    '2.png': 'crack 0 root 1',
    '3.png': 'crack NaN root 0',
  });
  expect(counted).toEqual({ file: 'fixes.csv', labels: 5, images: 3, changed: 4 });
});

test('an uncertain label is read as data.uncertain says, and remembered as uncertain', async () => {
  const corrections = write('uncertain.csv', 'Filename,class,label', '1.png,crack,-1');
  const { labels, dataset } = await labelsOf(table, { corrections, uncertain: 0.7 });
  expect(labels['1.png']).toBe(`crack ${Math.fround(0.7)} root 0`);
  expect(dataset.labels.isUncertain(0, 0)).toBe(true);
});

test('with a selection of classes, corrections of others have no effect', async () => {
  const corrections = write('others.csv', 'image,class,label', '1.png,crack,0', '1.png,root,1');
  const { labels } = await labelsOf(table, { corrections, keep: ['root'] });
  expect(labels['1.png']).toBe('root 1');
});

test('any kind of dataset takes corrections: folders, COCO, digits', async () => {
  for (const name of ['cat', 'dog']) mkdirSync(join(folder, 'pets', name), { recursive: true });
  write('pets/cat/a.jpg', '');
  write('pets/dog/b.jpg', '');
  const pets = write('pets.csv', 'image,class,label', 'cat/a.jpg,dog,1');
  expect((await labelsOf(join(folder, 'pets'), { corrections: pets })).labels).toEqual({
    'cat/a.jpg': 'cat 1 dog 1',
    'dog/b.jpg': 'cat 0 dog 1',
  });
  const coco = write(
    'instances.json',
    JSON.stringify({
      images: [
        { id: 1, file_name: '1.jpg', width: 4, height: 4 },
        { id: 2, file_name: '2.jpg', width: 4, height: 4 },
      ],
      categories: [{ id: 1, name: 'cat' }],
      annotations: [{ id: 1, image_id: 1, category_id: 1, bbox: [0, 0, 1, 1] }],
    }),
  );
  const fixes = write('coco.csv', 'image,class,label', '2.jpg,cat,1');
  expect((await labelsOf(coco, { corrections: fixes })).labels).toEqual({
    '1.jpg': 'cat 1',
    '2.jpg': 'cat 1',
  });
  const scenes = { train: 1, validation: 1, test: 1 };
  const plain = await labelsOf('digits', { digits: { scenes } });
  const [name] = Object.keys(plain.labels);
  const [first] = plain.dataset.classes;
  const digits = write('digits.csv', 'image,class,label', `${name},${first},`);
  const corrected = await labelsOf('digits', { digits: { scenes }, corrections: digits });
  expect(corrected.dataset.labels.at(0, 0)).toBeNaN();
});

test.each([
  ['9.png,crack,1', "pipes.csv has no image '9.png'"],
  ['1.png,crak,1', "did you mean 'crack'?"],
  ['1.png,crack,2', "label '2'; expected 0 to 1"],
])('a row that does not fit is refused with its line: %s', async (row, message) => {
  const corrections = write('bad.csv', 'image,class,label', '2.png,crack,1', row);
  const refused = openDataset(table, { corrections });
  await expect(refused).rejects.toThrow(DataError);
  await expect(refused).rejects.toThrow('bad.csv, line 3');
  await expect(refused).rejects.toThrow(message);
});

test('contradicting corrections, other columns, and a missing file are refused', async () => {
  const twice = write('twice.csv', 'image,class,label', '1.png,crack,1', '1.png,crack,0');
  await expect(openDataset(table, { corrections: twice })).rejects.toThrow(/twice.csv, line 3: .* line 2/);
  const wide = write('wide.csv', 'image,crack,root', '1.png,1,0');
  await expect(openDataset(table, { corrections: wide })).rejects.toThrow(
    'wide.csv, line 1: expected the columns image, class, label',
  );
  await expect(openDataset(table, { corrections: join(folder, 'none.csv') })).rejects.toThrow(
    /data.corrections: no such file '.*none.csv'/,
  );
});
