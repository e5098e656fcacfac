import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { testFolder } from '../../../files/test/testFolder.js';
import { validateConfiguration } from '../configuration/validate.js';
import { absolutePaths } from '../runs/runFolder.js';
import { openDataset } from './openDataset.js';

const folder = testFolder();
const before = process.cwd();
process.chdir(folder);
afterAll(() => {
  process.chdir(before);
});

const rows = Array.from({ length: 12 }, (_, i) => `${i}.png,${i % 2},${Number(i % 3 === 0)}`);

test.each(['a,b.csv', 'run=1/labels.csv', 'year=2024,site=b/labels.csv', 'odd*.csv', 'part=1'])(
  '%s is a path if it exists, also in a run that is resumed from elsewhere',
  async (path) => {
    const file = path.endsWith('.csv') ? path : join(path, 'labels.csv');
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, `Filename,crack,roots\n${rows.join('\n')}\n`);
    const { dataset: absolute } = absolutePaths(validateConfiguration({ data: { dataset: path } })).data;
    expect(absolute).toBe(join(process.cwd(), path));
    for (const spec of [path, absolute]) {
      const { names, images } = await openDataset(spec, { imageFolder: '.' });
      expect(names.length).toBe(12);
      await images.close();
    }
  },
);

test('a named list of classes can be kept or dropped', async () => {
  writeFileSync(
    'animals.csv',
    `Filename,labels\n${['cat', 'car', 'bus', 'zebra', ''].map((label, i) => `${i}.png,${label}`).join('\n')}\n`,
  );
  const animals = ['bird', 'cat', 'dog', 'horse', 'sheep', 'cow', 'elephant', 'bear', 'zebra', 'giraffe'];
  const open = {
    imageFolder: '.',
    classes: ['car', ...animals, 'bus'],
    draw: { method: 'random' },
  } as const;
  const classesWith = async (chosen: object) => {
    const { classes, images } = await openDataset('animals.csv', { ...open, ...chosen });
    await images.close();
    return classes;
  };
  expect(await classesWith({ keep: ['coco-animals'] })).toEqual(animals);
  expect(await classesWith({ drop: ['coco-animals'] })).toEqual(['car', 'bus']);
});

test('several paths are read together', async () => {
  writeFileSync('one.csv', `Filename,crack,roots\n${rows.slice(0, 6).join('\n')}\n`);
  writeFileSync('two.csv', `Filename,crack,roots\n${rows.slice(6).join('\n')}\n`);
  const { names, images } = await openDataset('one.csv, two.csv', { imageFolder: '.' });
  expect(names.length).toBe(12);
  await images.close();
});
