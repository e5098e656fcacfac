import { existsSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { testFolder } from '../../../../../files/test/testFolder.js';
import { presentByName, treeWriter } from '../../../../test/labelLayouts.js';
import { openDataset } from '../../openDataset.js';
import { yoloObjects } from './yoloLabels.js';

const folder = testFolder();
const tree = treeWriter(folder);
const box = '.5 .5 .1 .1';
const names = 'names: [cat, dog]\n';

test('image lists in data.yaml, relative to the list or to the dataset, are its splits', async () => {
  const root = tree({
    'data.yaml': `train: [lists/train.txt, images/more]\nval: lists/val.txt\n${names}`,
    'lists/train.txt': './../images/a.jpg\n\nimages/b.jpg\n',
    'lists/val.txt': 'images/c.jpg\r\n',
    'images/a.jpg': '',
    'images/b.jpg': '',
    'images/c.jpg': '',
    'images/more/d.jpg': '',
    'images/left-out.jpg': '',
    'labels/a.txt': `1 ${box}`,
    'labels/c.txt': `0 ${box}`,
    'labels/more/d.txt': `0 ${box}`,
    'labels/left-out.txt': `0 ${box}`,
  });
  const dataset = await openDataset(root);
  expect(presentByName(dataset)).toEqual({
    'images/a.jpg': ['dog'],
    'images/b.jpg': [],
    'images/more/d.jpg': ['cat'],
    'images/c.jpg': ['cat'],
  });
  expect([...dataset.splits.validation]).toEqual([3]);
  expect(existsSync(dataset.images.path!(3))).toBe(true);
});

test('Darknet keeps labels next to the images', async () => {
  const root = tree({
    'data.yaml': `train: photos\n${names}`,
    'photos/a.jpg': '',
    'photos/a.txt': `1 ${box}`,
    'photos/b.jpg': '',
    'photos/b.png': '',
    'photos/b.txt': '',
  });
  expect(presentByName(await openDataset(root))).toEqual({
    'photos/a.jpg': ['dog'],
    'photos/b.jpg': [],
    'photos/b.png': [],
  });
});

test('the same images for train and val are not splits: splits are drawn, with a remark', async () => {
  const images = Object.fromEntries(
    Array.from({ length: 20 }, (_, i) => [
      [`images/all/${i}.jpg`, ''],
      [`labels/all/${i}.txt`, i % 2 === 0 ? `0 ${box}` : ''],
    ]).flat(),
  );
  const root = tree({ ...images, 'data.yaml': `train: images/all\nval: images/all\n${names}` });
  const dataset = await openDataset(root);
  expect(dataset.labels.rows).toBe(20);
  expect(dataset.splitOrigin).toMatch(/^drawn/);
  expect(dataset.remarks[0]!.text).toMatch(/same images/);
});

test('a split without any label file has unknown labels, and label files without an image are reported', async () => {
  const root = tree({
    'classes.txt': 'cat\ndog\n',
    'images/train/a.jpg': '',
    'images/test/b.jpg': '',
    'labels/train/a.txt': `0 ${box}`,
    'labels/train/gone.txt': `1 ${box}`,
  });
  const dataset = await openDataset(root);
  expect([0, 1].map((row) => dataset.labels.presence(row)).sort()).toEqual(['positive', 'undecided']);
  expect(dataset.remarks.find(({ text }) => text.includes('without an image'))).toMatchObject({
    count: 1,
    examples: ['labels/train/gone.txt'],
  });
  expect(dataset.remarks[0]).toEqual({
    text: 'image of the test split, which has no label files: labels unknown',
    count: 1,
    examples: ['images/test/b.jpg'],
  });
});

test('folders: every folder on the path is a label, and another name for negatives can be given', async () => {
  const root = tree({
    'animal/cat/1.jpg': '',
    'animal/2.jpg': '',
    'nothing/3.jpg': '',
    'Negative/4.jpg': '',
  });
  expect(presentByName(await openDataset(root, { negativeLabel: 'nothing' }))).toEqual({
    'Negative/4.jpg': [],
    'animal/2.jpg': ['animal'],
    'animal/cat/1.jpg': ['animal', 'cat'],
    'nothing/3.jpg': [],
  });
  const named = await openDataset(root, { classes: ['cat', 'animal', 'nothing'] });
  expect(named.classes).toEqual(['cat', 'animal', 'nothing']);
});

test('a class may be called train, and a link to a parent folder does not cause a loop', async () => {
  const root = tree({ 'bus/1.jpg': '', 'train/2.jpg': '', 'negative/3.jpg': '' });
  symlinkSync(root, join(root, 'bus', 'loop'));
  const dataset = await openDataset(root);
  expect(dataset.classes).toEqual(['bus', 'train']);
  expect(dataset.labels.rows).toBe(3);
});

test.each<[string, Readonly<Record<string, string>>, RegExp]>([
  [
    'a class number that has no name',
    { 'l.txt': `7 ${box}` },
    /l\.txt, line 1: class number 7; expected one of 0 \(cat\), 1 \(dog\)/,
  ],
  ['a class number that is not a number', { 'l.txt': `cat ${box}` }, /l\.txt, line 1: 'cat' is not a number/],
  [
    'a truncated line',
    { 'l.txt': `0 ${box}\n1 .5 .5` },
    /l\.txt, line 2: 3 numbers; expected a class number and a box/,
  ],
  ['two lines joined', { 'l.txt': `0 ${box} 1 ${box}` }, /l\.txt, line 1: 10 numbers/],
  ['a negative class number', { 'l.txt': `-1 ${box}` }, /class number -1/],
  ['a half class number', { 'l.txt': `0.5 ${box}` }, /class number 0\.5/],
  [
    'another number of classes',
    { 'data.yaml': `train: images\nnc: 3\n${names}` },
    /data\.yaml: nc is 3, but names has 2/,
  ],
  [
    'a class twice',
    { 'data.yaml': 'train: images\nnames: [cat, cat]\n' },
    /class 'cat' has the numbers 0 and 1/,
  ],
  [
    'names that are not a list',
    { 'data.yaml': 'train: images\nnames: cat\n' },
    /data\.yaml: names: expected a list of class names/,
  ],
  [
    'invalid YAML',
    { 'data.yaml': 'train: images\nnames: [cat, dog\n' },
    /data\.yaml, line \d: not valid YAML/,
  ],
  ['an alias bomb', { 'data.yaml': aliasBomb() }, /data\.yaml: not valid YAML/],
  [
    'a missing folder',
    { 'data.yaml': `train: elsewhere\n${names}` },
    /train is 'elsewhere'.*set data\.imageFolder/,
  ],
  ['no splits', { 'data.yaml': names }, /data\.yaml: no train, val, or test/],
  [
    'a list that leads out',
    { 'data.yaml': `train: list.txt\n${names}`, 'list.txt': '../../../etc/passwd.jpg\n' },
    /list\.txt, line 1: image .* is not a path below/,
  ],
  ['labels that are not text', { 'l.txt': `0 ${box}\0` }, /l\.txt: contains zero bytes/],
])('YOLO: %s is refused', async (_, changes, message) => {
  const { 'l.txt': label = `0 ${box}`, ...others } = changes;
  const root = tree({
    'data.yaml': `train: images\n${names}`,
    'images/l.jpg': '',
    'labels/l.txt': label,
    ...others,
  });
  await expect(openDataset(root)).rejects.toThrow(message);
});

/** Nine lists, each with nine aliases of the one before. */
function aliasBomb(): string {
  const lines = ['a0: &a0 [x, x, x, x, x, x, x, x, x]'];
  for (let i = 1; i < 9; i++)
    lines.push(
      `a${i}: &a${i} [${Array(9)
        .fill(`*a${i - 1}`)
        .join(', ')}]`,
    );
  return [...lines, 'train: images', 'names: *a8', ''].join('\n');
}

test.each<[string, Readonly<Record<string, string>>, RegExp]>([
  [
    'images alone',
    { 'a.jpg': '', 'b.jpg': '' },
    /no images in class folders; expected a folder per class, a table/,
  ],
  ['nothing', {}, /no images in class folders/],
  ['splits of images alone', { 'train2017/a.jpg': '', 'val2017/b.jpg': '' }, /no images in class folders/],
  [
    'splits and others',
    { 'train/c/a.jpg': '', 'test/c/b.jpg': '', 'extra/c/d.jpg': '' },
    /train.* look like splits, but extra is next to them/,
  ],
  [
    'a development kit above VOC2012',
    { 'VOC2012/JPEGImages/a.jpg': '' },
    /VOC2012: looks like Pascal VOC; use this folder as the dataset/,
  ],
  [
    'images and labels without names',
    { 'images/a.jpg': '', 'labels/a.txt': `0 ${box}` },
    /has a folder 'images' but no recognized labels/,
  ],
])('folders: %s are refused with what is expected', async (_, files, message) => {
  await expect(openDataset(tree(files))).rejects.toThrow(message);
});

test('any boxes in a label file are read as their classes', () => {
  const number = fc.double({ min: 0, max: 1, noNaN: true });
  const object = fc.tuple(fc.nat(4), fc.array(number, { minLength: 4, maxLength: 4 }));
  fc.assert(
    fc.property(fc.array(object), fc.constantFrom(' ', '\t', '  '), (objects, blank) => {
      const classes = new Map([0, 1, 2, 3, 4].map((i) => [i, `class ${i}`]));
      const text = objects.map(([index, numbers]) => [index, ...numbers].join(blank)).join('\r\n');
      expect(new Set(yoloObjects(text, classes, 'a.txt').map(({ name }) => name))).toEqual(
        new Set(objects.map(([index]) => `class ${index}`)),
      );
    }),
  );
});
