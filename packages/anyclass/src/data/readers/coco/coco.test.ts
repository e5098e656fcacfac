import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { testFolder } from '../../../../../files/test/testFolder.js';
import { openDataset } from '../../openDataset.js';
import { readCoco } from './coco.js';
import { readJsonArrays } from './jsonArrays.js';

const folder = testFolder();

function file(name: string, content: unknown): string {
  const path = join(folder, name);
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

const instances = {
  info: { description: 'braces } ] " in texts' },
  annotations: [
    { image_id: 7, category_id: 3, segmentation: [[1, 2, 3]] },
    { image_id: 5, category_id: 1, segmentation: { counts: 'a"b\\}' } },
    { image_id: 5, category_id: 3 },
  ],
  images: [
    { id: 5, file_name: 'five.jpg' },
    { id: 7, file_name: 'seven.jpg' },
    { id: 9, file_name: 'nine.jpg' },
  ],
  categories: [
    { id: 3, name: 'dog', supercategory: 'animal' },
    { id: 1, name: 'person', supercategory: 'person' },
  ],
};

test('an image has the classes of its annotations, and is negative without any', async () => {
  const coco = await readCoco([file('instances.json', instances)], {});
  expect(coco.classes).toEqual(['person', 'dog']);
  expect(coco.names.at(1)).toBe('seven.jpg');
  expect([0, 1, 2].map((row) => [coco.labels.at(row, 0), coco.labels.at(row, 1)])).toEqual([
    [1, 1],
    [0, 1],
    [0, 0],
  ]);
  expect([...coco.firstClass]).toEqual([0, 1, -1]);
  expect(coco.classFamilies).toEqual([
    { name: 'person', classes: ['person'] },
    { name: 'animal', classes: ['dog'] },
  ]);
});

test('categories without a supercategory are in no group', async () => {
  const [dog, person] = instances.categories;
  const categories = [{ id: dog!.id, name: dog!.name }, person];
  const coco = await readCoco([file('instances.json', { ...instances, categories })], {});
  expect(coco.classFamilies).toEqual([{ name: 'person', classes: ['person'] }]);
});

test("an image's first class is the first one that is kept", async () => {
  const coco = await readCoco([file('instances.json', instances)], { classes: ['dog'] });
  expect([...coco.firstClass]).toEqual([0, 0, -1]);
  expect(coco.labels.presence(2)).toBe('negative');
});

test('several files are concatenated, and files named after splits are the splits', async () => {
  const paths = ['instances_train2017.json', 'instances_val2017.json'].map((name) => file(name, instances));
  const coco = await openDataset(paths.join(','));
  expect(coco.labels.rows).toBe(6);
  expect([...coco.splits.train]).toEqual([0, 1, 2]);
  expect([...coco.splits.validation]).toEqual([3, 4, 5]);
});

test('problems in a COCO file are reported with the element concerned', async () => {
  const without = (key: keyof typeof instances) => ({ ...instances, [key]: undefined });
  const complaints: [unknown, string][] = [
    ['', 'bad.json: the file is empty'],
    ['[1, 2]', "bad.json, byte 0: starts with '['"],
    ['hello', 'bad.json, byte 0: this is not JSON'],
    [JSON.stringify(instances).slice(0, 300), 'bad.json: the file ends in the middle, after 300 bytes'],
    [without('categories'), "bad.json: no array 'categories'"],
    [{ ...instances, images: [{ id: 'x', file_name: 'a' }] }, `images[0]: 'id' is "x"; expected an integer`],
    [{ ...instances, images: [{ id: 1, file_name: '../a' }] }, "images[0]: image '../a' is outside"],
    [{ ...instances, annotations: [{ image_id: 5 }] }, "annotations[0]: 'category_id' is missing"],
    [
      { ...instances, annotations: [{ image_id: 6, category_id: 1 }] },
      'annotations[0]: no image has the id 6',
    ],
    [
      { ...instances, annotations: [{ image_id: 5, category_id: 9 }] },
      'annotations[0]: no category has the id 9',
    ],
    [JSON.stringify(instances).replace('"id":5', '"id":5.'), 'images[0]: not valid JSON'],
  ];
  for (const [content, message] of complaints) {
    await expect(openDataset(file('bad.json', content))).rejects.toThrow(message);
  }
});

test('a file without images is refused, and so is __proto__ as a key anywhere', async () => {
  const without = file('without.json', { ...instances, images: [], annotations: [] });
  await expect(readCoco([without], {})).rejects.toThrow("without.json: the array 'images' is empty");
  const whole = JSON.stringify(instances);
  const outside = file('outside.json', whole.replace('{', '{"__proto__":{"polluted":1},'));
  const inside = file('inside.json', whole.replace('{"id":5', '{"__proto__":{"polluted":1},"id":5'));
  for (const path of [outside, inside]) await expect(readCoco([path], {})).rejects.toThrow('__proto__');
});

test('arrays of objects are read as JSON.parse reads them, wherever chunks end', async () => {
  const long = 'x'.repeat(1 << 19);
  // The key __proto__ is refused anywhere.
  const objects = fc
    .array(fc.dictionary(fc.string(), fc.jsonValue()))
    .filter((elements) => !JSON.stringify(elements).includes('"__proto__":'));
  await fc.assert(
    fc.asyncProperty(objects, async (elements) => {
      const content = { first: [{ long }], [long]: 1, elements, last: { elements: [{ a: 1 }] } };
      const seen: unknown[] = [];
      await readJsonArrays(file('any.json', content), { elements: (element) => seen.push(element) });
      expect(seen).toEqual(JSON.parse(JSON.stringify(elements)));
    }),
    { numRuns: 40 },
  );
});
