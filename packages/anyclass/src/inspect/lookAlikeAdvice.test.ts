import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { testFolder } from '../../../files/test/testFolder.js';
import { wavyPicture } from '../../test/pictures.js';
import { openDataset } from '../data/openDataset.js';
import { inspectDataset } from './inspectDataset.js';
import { inspectText } from './inspectText.js';
import { lookAlikeAdvice } from './lookAlikeAdvice.js';
import { suggestConfiguration } from './suggestConfiguration.js';

const folder = testFolder();

/** Eight pictures twice, and one once. */
beforeAll(async () => {
  mkdirSync(join(folder, 'images'));
  for (let i = 0; i < 9; i++) {
    writeFileSync(join(folder, 'images', `${i}.png`), await wavyPicture(i)().png().toBuffer());
    if (i < 8) writeFileSync(join(folder, 'images', `${i}b.jpg`), await wavyPicture(i)().jpeg().toBuffer());
  }
});

/** A table of the pictures: `cells` gives the cells of the original, and of its copy. */
function table(name: string, columns: string, cells: (i: number, isCopy: boolean) => string): string {
  const path = join(folder, name);
  const rows = Array.from({ length: 17 }, (_, k) =>
    k < 9 ? `${k}.png,${cells(k, false)}` : `${k - 9}b.jpg,${cells(k - 9, true)}`,
  );
  writeFileSync(path, [`image,${columns}`, ...rows].join('\n'));
  return path;
}

async function inspected(path: string) {
  const dataset = await openDataset(path);
  try {
    return await inspectDataset(dataset, {});
  } finally {
    await dataset.images.close();
  }
}

test('labels contradict each other only where both are known', async () => {
  const unknown = await inspected(table('unknown.csv', 'a,b', (_, isCopy) => (isCopy ? '1,' : '1,0')));
  const kinds = unknown.problems.map(({ kind }) => kind);
  expect(kinds).toContain('near-duplicate');
  expect(kinds).not.toContain('near-duplicate-labels-differ');
  const known = await inspected(table('known.csv', 'a,b', (i, isCopy) => (isCopy && i < 3 ? '1,1' : '1,0')));
  expect(known.problems.find(({ kind }) => kind === 'near-duplicate-labels-differ')?.count).toBe(3);
});

test('a leak comes with its remedy, which depends on whether the splits are drawn', async () => {
  const leak = ({ problems }: Awaited<ReturnType<typeof inspected>>) =>
    problems.find(({ kind }) => kind === 'near-duplicate-across-splits')!.text;
  const drawn = leak(await inspected(table('drawn.csv', 'a', (i) => String(i % 2))));
  expect(drawn).toContain('data.groups to look-alikes');
  expect(drawn).not.toContain('data.draw');
  const own = table('own.csv', 'a,split', (i, isCopy) => `${i % 2},${isCopy ? 'validation' : 'train'}`);
  expect(leak(await inspected(own))).toMatch(/data.groups to look-alikes.*data.draw/);
});

test('a suggested configuration keeps look-alikes together if splits would share them', async () => {
  const drawn = table('drawn.csv', 'a', (i) => String(i % 2));
  const { configuration, remarks } = await suggestConfiguration(drawn);
  expect(configuration['data']).toEqual({ dataset: drawn, groups: 'look-alikes' });
  expect(remarks.join('\n')).toContain('8 sets of look-alike images among 17 images');
  expect(remarks.join('\n')).toContain('counts it once, so less can be promised than by images');
  const patients = table('patients.csv', 'patient,a', (i) => `p${i},${i % 2}`);
  expect((await suggestConfiguration(patients)).configuration['data']).toEqual({ dataset: patients });
});

test('if a large part of the images looks alike, they are no copies, and a group is asked for', async () => {
  const path = join(folder, 'same.csv');
  writeFileSync(path, ['image,a', '0.png,1', '0b.jpg,0', '1.png,1', '2.png,0', '3.png,1'].join('\n'));
  const { configuration, remarks } = await suggestConfiguration(path);
  expect(configuration['data']).toEqual({ dataset: path });
  expect(remarks.join('\n')).toContain('warning: 2 of 5 images look alike');
});

test('splits that come with the data are not changed, but a leak is a warning', async () => {
  const dataset = await openDataset(
    table('own.csv', 'a,split', (i, isCopy) => `${i % 2},${isCopy ? 'validation' : 'train'}`),
  );
  const { isAdvised, remarks } = await lookAlikeAdvice(dataset);
  await dataset.images.close();
  expect(isAdvised).toBe(false);
  expect(remarks).toEqual([expect.stringMatching(/^warning: 8 sets .*data.groups.*data.draw/)]);
});

test('with groups of look-alikes, an inspection finds none in two splits, and counts corrections', async () => {
  const path = table('fixed.csv', 'a', (i) => String(i % 2));
  const corrections = join(folder, 'fixes.csv');
  writeFileSync(corrections, 'image,class,label\n0.png,a,1\n1.png,a,1\n');
  const open = { groups: 'look-alikes', corrections } as const;
  const inspection = await inspectDataset(path, { open });
  expect(inspection.problems.map(({ kind }) => kind)).not.toContain('near-duplicate-across-splits');
  expect(inspection.corrections).toEqual({ file: 'fixes.csv', labels: 2, images: 2, changed: 1 });
  expect(inspectText(inspection)).toContain(
    'corrections: 2 labels of 2 images in fixes.csv, 1 of which differs from the dataset',
  );
});
