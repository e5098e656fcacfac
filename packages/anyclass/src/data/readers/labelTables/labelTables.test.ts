import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { testFolder } from '../../../../../files/test/testFolder.js';
import type { Dataset } from '../../dataset/dataset.js';
import { type OpenOptions, openDataset } from '../../openDataset.js';

const folder = testFolder();

function file(name: string, text: string): string {
  const path = join(folder, name);
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, text);
  return path;
}

const open = (text: string, options: OpenOptions = {}) => openDataset(file('table.csv', text), options);

function labelsByName({ names, classes, labels }: Dataset): Record<string, Record<string, number>> {
  const rows = Array.from({ length: names.length }, (_, row) => [
    names.at(row),
    Object.fromEntries(classes.map((name, j) => [name, labels.at(row, j)])),
  ]);
  return Object.fromEntries(rows);
}

test('class columns may have yes, no, true, false, and all spellings of a missing value', async () => {
  const dataset = await open(
    'file,a,b,c\n1.png,yes,TRUE,NaN\n2.png,No,false,n/a\n3.png,YES,0,null\n4.png,no,1,NA\n',
  );
  expect(labelsByName(dataset)).toEqual({
    '1.png': { a: 1, b: 1, c: Number.NaN },
    '2.png': { a: 0, b: 0, c: Number.NaN },
    '3.png': { a: 1, b: 0, c: Number.NaN },
    '4.png': { a: 0, b: 1, c: Number.NaN },
  });
});

test('one row per image and label gives one image with all its labels', async () => {
  const dataset = await open(
    'image,label,patient\na.png,dog,p\nb.png,,q\na.png,cat,p\nc.png,cat,q\na.png,dog,p\n',
  );
  expect(labelsByName(dataset)).toEqual({
    'a.png': { cat: 1, dog: 1 },
    'b.png': { cat: 0, dog: 0 },
    'c.png': { cat: 1, dog: 0 },
  });
  expect([...dataset.groups!.codes]).toEqual([0, 1, 1]);
  expect(dataset.images.path?.(2)).toBe(join(folder, 'c.png'));
});

test("an image's labels are collected from any mix of rows, as a map would collect them", async () => {
  const row = fc.record({ image: fc.nat(5), label: fc.constantFrom('', 'cat', 'dog', 'hot dog', 'ü') });
  await fc.assert(
    fc.asyncProperty(fc.array(row, { minLength: 3, maxLength: 30 }), async (rows) => {
      fc.pre(new Set(rows.map(({ image }) => image)).size >= 3);
      const expected = new Map<string, Set<string>>();
      for (const { image, label } of rows) {
        const labels = expected.get(`${image}.png`) ?? new Set();
        expected.set(`${image}.png`, label === '' ? labels : labels.add(label));
      }
      const dataset = await open(
        ['image,label', ...rows.map(({ image, label }) => `${image}.png,${label}`)].join('\n'),
      );
      const found = Object.entries(labelsByName(dataset)).map(([name, labels]) => [
        name,
        new Set(Object.keys(labels).filter((label) => labels[label] === 1)),
      ]);
      expect(found).toEqual([...expected]);
    }),
    { numRuns: 60 },
  );
});

test('a value next to the label is its target, and a class that no row names is unknown', async () => {
  const table = [
    'ImageID,Source,LabelName,Confidence',
    'a,verification,/m/cat,1',
    'a,verification,/m/dog,0',
    'b,machine,/m/dog,0.7',
    'c,verification,/m/cat,-1',
    'd,verification,none,1',
  ].join('\n');
  const dataset = await open(table, { labelColumn: 'LabelName', negativeLabel: 'none', uncertain: 0.25 });
  expect(labelsByName(dataset)).toEqual({
    a: { '/m/cat': 1, '/m/dog': 0 },
    b: { '/m/cat': Number.NaN, '/m/dog': Math.fround(0.7) },
    c: { '/m/cat': 0.25, '/m/dog': Number.NaN },
    d: { '/m/cat': 0, '/m/dog': 0 },
  });
  expect(dataset.labels.isUncertain(2, 0)).toBe(true);
});

test('a label column of 0 and 1 is one class with the name of the column, with a remark', async () => {
  const dataset = await open('id,label\na,0\nb,1\nc,0\n');
  expect(dataset.classes).toEqual(['label']);
  expect([0, 1, 2].map((row) => dataset.labels.at(row, 0))).toEqual([0, 1, 0]);
  expect(dataset.remarks[0]!.text).toContain("'label'");
  expect((await open('id,label\na,0\nb,1\nc,2\n')).classes).toEqual(['0', '1', '2']);
});

test('an image with a row without a label and rows with labels keeps the labels, with a remark', async () => {
  const dataset = await open('image,label\na.png,cat\na.png,\nb.png,\nc.png,dog\n');
  expect(labelsByName(dataset)['a.png']).toEqual({ cat: 1, dog: 0 });
  expect(dataset.remarks).toMatchObject([{ count: 1, examples: ['a.png (table.csv, line 3)'] }]);
});

test('class columns of only 1 and -1 get a remark that -1 may mean absent, until data.uncertain gives it a value', async () => {
  const text = 'image_id,Bald,Smiling\na.jpg,-1,1\nb.jpg,-1,-1\nc.jpg,1,-1\n';
  expect((await open(text)).remarks).toMatchObject([{ text: /data\.uncertain to zero/, count: 4 }]);
  // A configuration always has 'ignore', its default.
  expect((await open(text, { uncertain: 'ignore' })).remarks).toHaveLength(1);
  const absent = await open(text, { uncertain: 'zero' });
  expect(absent.labels.presence(1)).toBe('negative');
  expect(absent.remarks).toEqual([]);
});

test('absolute paths below the image folder are read, and only those', async () => {
  const images = join(folder, 'below', 'images');
  file('below/images/site1/a.png', '');
  const path = file('below/table.csv', `path,x\n${images}/site1/a.png,1\nimages/b.png,0\nimages/c.png,0\n`);
  const dataset = await openDataset(path);
  expect(dataset.names.at(0)).toBe('images/site1/a.png');
  expect(dataset.images.path?.(0)).toBe(join(images, 'site1', 'a.png'));
  const inImages = await openDataset(path, { imageFolder: images });
  expect(inImages.names.at(0)).toBe('site1/a.png');
  await expect(openDataset(path, { imageFolder: join(folder, 'other') })).rejects.toThrow(
    /table\.csv, line 2: image '.*a\.png' is not a path below the image folder '.*other'; set data\.imageFolder/,
  );
});

test.each<[string, string, string]>([
  [
    'a table without an image column',
    'crack,roots\n1,0\n0,1\n',
    "line 2: no column of image names: the first column, 'crack', holds '1'. Set data.columns.image",
  ],
  ['yes and no instead of names', 'crack,roots\nyes,no\n', 'no column of image names'],
  ['numbers instead of names', 'photo,roots\n17,0\n', 'no column of image names'],
  [
    'a table without a header',
    'a.png,1,0\nb.png,0,1\n',
    "line 1: 'a.png' is an image, not the name of a column",
  ],
  [
    'a column that may list labels',
    'filename,width,class,xmin\na.png,500,car,12\n',
    "line 2: column 'class' holds 'car'. If it lists the labels of a row, set data.columns.labels",
  ],
  [
    'a count in a class column',
    'file,crack\na.png,3\n',
    "line 2: class column 'crack' holds '3'; expected 0 to 1",
  ],
  [
    'an image in several rows of 0/1 columns',
    'file,crack\na.png,1\nb.png,0\na.png,0\n',
    "line 4: image 'a.png' is already in table.csv, line 2. One row per label?",
  ],
  [
    'a separator that may belong to a name',
    'image,label\na.png,"lesion, benign"\na.png,mass\n',
    "line 2: label 'lesion, benign' contains ',' in a table with one row per label. Set data.columns.separator",
  ],
  [
    'two splits of one image',
    'image,label,split\na.png,cat,train\na.png,dog,test\n',
    "line 3: image 'a.png' has a different split than in table.csv, line 2",
  ],
  [
    'two patients of one image',
    'image,label,patient\na.png,cat,p\na.png,dog,q\n',
    "line 3: image 'a.png' has a different 'patient' than in table.csv, line 2",
  ],
  [
    'two values of one label',
    'image,label,value\na.png,cat,1\na.png,cat,0\n',
    "line 3: 'cat' of image 'a.png' is 0 here and 1 in table.csv, line 2",
  ],
  [
    'two answers to one question',
    'image,label\na.png,1\na.png,0\n',
    "line 3: image 'a.png' has the label '0' here and '1' in table.csv, line 2",
  ],
  ['a backslash', 'image,label\nx\\a.png,cat\n', "line 2: image 'x\\a.png' contains a backslash; use /"],
])('%s is refused with the place and what to do', async (_, text, message) => {
  await expect(open(text)).rejects.toThrow(message);
});

test('the advice in messages works', async () => {
  const boxes = 'filename,width,class,xmin\na.png,500,car,12\na.png,500,bus,1\nb.png,500,car,3\nc.png,1,,1\n';
  expect((await open(boxes, { labelColumn: 'class' })).classes).toEqual(['bus', 'car']);
  const lesions = 'image,label\na.png,"lesion, benign"\na.png,mass\nb.png,mass\nc.png,\n';
  expect((await open(lesions, { separator: '' })).classes).toEqual(['lesion, benign', 'mass']);
  expect((await open(lesions, { separator: ',' })).classes).toEqual(['benign', 'lesion', 'mass']);
  const photos = 'crack,roots,shot\n1,0,a.png\n0,1,b.png\n0,0,c.png\n';
  expect((await open(photos, { imageColumn: 'shot' })).classes).toEqual(['crack', 'roots']);
});
