import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import sharp from 'sharp';
import { expect, test } from 'vitest';
import { testFolder } from '../../../files/test/testFolder.js';
import { decodeImage } from '../data/images/decoding/decode.js';
import { openDataset } from '../data/openDataset.js';
import { randomStream } from '../data/random/philox.js';
import { inspectDataset } from './inspectDataset.js';
import { inspectPage } from './inspectPage.js';
import { inspectText } from './inspectText.js';
import { lambdaAdvice } from './lambdaAdvice.js';
import { noPictures, pagePictures } from './pagePictures.js';

const fixtures = resolve(import.meta.dirname, '../../test/fixtures/data');
const tmp = testFolder();
const folder = join(tmp, 'faulty');

/** Nine images with one of every fault. */
async function faulty() {
  const rows: [string, string, string, string, string, string][] = [
    ['a.png', 'rgb.png', 'p1', 'train', '1', '0'],
    ['b.png', 'gray.png', 'p1', 'train', '1', '1'],
    ['c.png', 'rgb16.png', 'p2', 'train', '0', '0'],
    ['d.png', 'palette.png', 'p2', 'train', '0', '0'],
    ['e.png', 'rgb.png', 'p3', 'test', '0', '0'], // a.png again, in another split and with other labels
    ['f.png', 'one-bit.png', 'p1', 'test', '1', '0'], // a patient of the training split
    ['g.png', 'gray16.png', 'p4', 'test', '1', '0'],
    ['h.png', 'broken', 'p5', 'train', '0', '0'],
    ['i.png', 'missing', 'p5', 'train', '0', '0'],
  ];
  mkdirSync(join(folder, 'images'), { recursive: true });
  for (const [name, fixture] of rows) {
    if (fixture === 'missing') continue;
    if (fixture === 'broken')
      writeFileSync(join(folder, 'images', name), readFileSync(join(fixtures, 'rgb.png')).subarray(0, 50));
    else copyFileSync(join(fixtures, fixture), join(folder, 'images', name));
  }
  const lines = rows.map(([name, , ...cells]) => [name, ...cells].join(','));
  writeFileSync(join(folder, 'labels.csv'), ['file,patient,split,<cat>,dog', ...lines].join('\n'));
  return openDataset(join(folder, 'labels.csv'));
}

test('class names with line breaks and direction marks take one line of text, escaped', async () => {
  const path = join(tmp, 'odd.csv');
  const header = 'image,"ro\not",cr\u202eack';
  writeFileSync(path, [header, ...Array.from({ length: 8 }, (_, i) => `${i}.png,1,${i % 2}`)].join('\n'));
  const inspection = await inspectDataset(await openDataset(path), { images: false });
  const lines = inspectText(inspection).split('\n');
  expect(lines).toContain('most often together: ro\\not + cr\\u202eack 4');
  expect(lines.filter((line) => line.startsWith('ot'))).toEqual([]);
});

test('counts, weights, and statistics of a small dataset are exact', async () => {
  const dataset = await faulty();
  const preparation = { ...dataset.preparation, window: [0, 65_535] } as const;
  const inspection = await inspectDataset({ ...dataset, preparation }, {});
  expect(inspection.splits).toEqual([
    { split: 'train', positive: 2, negative: 4, undecided: 0, total: 6, groups: 3 },
    { split: 'validation', positive: 0, negative: 0, undecided: 0, total: 0, groups: 0 },
    { split: 'test', positive: 2, negative: 1, undecided: 0, total: 3, groups: 3 },
    { split: 'all', positive: 4, negative: 5, undecided: 0, total: 9, groups: 5 },
  ]);
  expect(inspection.classCounts).toEqual([
    { name: '<cat>', train: 2, validation: 0, test: 2 },
    { name: 'dog', train: 1, validation: 0, test: 0 },
  ]);
  expect(inspection.labelsPerInstance).toEqual([5, 3, 1]);
  expect(inspection.cooccurrence).toEqual([
    [4, 1],
    [1, 1],
  ]);
  // The effective numbers of 2, 1, and 4 at β near 1 are 2, 1, and 4: weights 3 · (1/n) / (1/2 + 1/1 + 1/4).
  expect(inspection.balance.classWeights[0]).toBeCloseTo(1.5 / 1.75, 3);
  expect(inspection.balance.negativeWeight).toBeCloseTo(0.75 / 1.75, 3);
  expect(inspection.images).toMatchObject({ examined: 7, of: 9, width: { min: 40, median: 40, max: 40 } });
  // Four training images: two in color (8 and 16 bits), one with a palette, one gray; red is 200,
  // 40, 40, 240 by quarters.
  expect(inspection.images!.mean[0]).toBeCloseTo((3 * 130 + 130) / 4 / 255, 2);
  expect(inspection.images!.levels).toMatchObject({ images: 2, withOwnWindow: 0, suggested: [0, 65_535] });
});

test('the standard deviation is the mean over training images, as a plain loop computes it', async () => {
  const data = await faulty();
  const size = { width: 31, height: 17 };
  const { images } = await inspectDataset(data, { size });
  const format = { ...size, channels: 3 } as const;
  const deviations: number[][] = [];
  for (const row of [0, 1, 2, 3]) {
    const pixels = await decodeImage(await data.images.read(row), format);
    const ofChannel = (c: number) => {
      const values = [...pixels].filter((_, i) => i % 3 === c).map((byte) => byte / 255);
      const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
      return Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length);
    };
    deviations.push([0, 1, 2].map(ofChannel));
  }
  for (const c of [0, 1, 2]) {
    const expected = deviations.reduce((sum, ofImage) => sum + ofImage[c]!, 0) / 4;
    expect(images!.std[c]).toBeCloseTo(expected, 8);
  }
});

test('unknown, uncertain, soft, and undecided labels are counted', async () => {
  const rows = [
    'a.png,train,-1,0',
    'b.png,train,,1',
    'c.png,train,0,0',
    'd.png,test,0.25,-1',
    'e.png,test,,0',
  ];
  writeFileSync(join(tmp, 'partial.csv'), ['file,split,cat,dog', ...rows].join('\n'));
  const data = await openDataset(join(tmp, 'partial.csv'), { uncertain: 0.75 });
  const inspection = await inspectDataset(data, { images: false });
  expect(inspection.splits.at(-1)).toEqual({
    split: 'all',
    positive: 3,
    negative: 1,
    undecided: 1,
    total: 5,
  });
  expect(inspection.labelCounts).toEqual([
    { name: 'cat', unknown: 2, uncertain: 1, soft: 2 },
    { name: 'dog', unknown: 0, uncertain: 1, soft: 1 },
  ]);
  expect(inspection.classCounts).toEqual([
    { name: 'cat', train: 1, validation: 0, test: 0 },
    { name: 'dog', train: 1, validation: 0, test: 1 },
  ]);
  const text = inspectText(inspection);
  expect(text).toMatch(/split +positive +negative +undecided +total/);
  expect(text).toMatch(/\(all\) +2 +2 +3/);
  expect(inspectPage(inspection, noPictures)).toContain('Unknown, uncertain, and soft labels');
  const ignored = await openDataset(join(tmp, 'partial.csv'));
  expect((await inspectDataset(ignored, { images: false })).labelCounts).toEqual([
    { name: 'cat', unknown: 3, uncertain: 1, soft: 1 },
    { name: 'dog', unknown: 1, uncertain: 1, soft: 0 },
  ]);
});

test('every fault is found and named', async () => {
  const { problems, quarantined } = await inspectDataset(await faulty(), {});
  const found = Object.fromEntries(problems.map(({ kind, count, examples }) => [kind, { count, examples }]));
  expect(found['unreadable']!.count).toBe(2);
  expect(quarantined.map(({ name }) => name)).toEqual(['h.png', 'i.png']);
  expect(quarantined[1]!.reason).toMatch(/^missing: /);
  expect(found['duplicate']).toEqual({ count: 1, examples: ['a.png (train) = e.png (test)'] });
  expect(found['duplicate-across-splits']!.count).toBe(1);
  expect(found['duplicate-labels-differ']!.count).toBe(1);
  expect(found['group-across-splits']).toEqual({ count: 1, examples: ['p1 (train and test: f.png)'] });
  expect(found['rare-class']).toEqual({ count: 1, examples: ['dog: 1 in train, 0 in test'] });
  expect(found['no-validation']).toEqual({ count: 0, examples: [] });
});

test('images that look alike are found within and across splits, in addition to exact copies', async () => {
  const folder = join(tmp, 'alike');
  mkdirSync(folder);
  const side = 64;
  const scene = (number: number) => {
    const draw = randomStream('sample', 9, 0, number);
    const cells = Array.from({ length: 256 }, () => draw.below(256));
    const pixels = Uint8Array.from({ length: side * side * 3 }, (_, i) => {
      const [x, y] = [Math.floor(i / 3) % side, Math.floor(i / 3 / side)];
      return cells[(y >> 2) * 16 + (x >> 2)]!;
    });
    return sharp(pixels, { raw: { width: side, height: side, channels: 3 } });
  };
  await scene(0).png().toFile(join(folder, 'a.png'));
  await scene(0).jpeg({ quality: 70 }).toFile(join(folder, 'a-copy.jpg'));
  await scene(1).png().toFile(join(folder, 'b.png'));
  await scene(1).png().toFile(join(folder, 'b-same.png'));
  await scene(2).png().toFile(join(folder, 'c.png'));
  await scene(2).resize(48, 48).png().toFile(join(folder, 'c-small.png'));
  await scene(3).png().toFile(join(folder, 'd.png'));
  await sharp({ create: { width: 8, height: 8, channels: 3, background: '#445566' } })
    .png()
    .toFile(join(folder, 'flat.png'));
  const rows = [
    'a.png,train,1',
    'a-copy.jpg,test,0',
    'b.png,train,0',
    'b-same.png,train,0',
    'c.png,train,1',
    'c-small.png,train,1',
    'd.png,test,0',
    'flat.png,test,0',
  ];
  writeFileSync(join(folder, 'labels.csv'), ['file,split,cat', ...rows].join('\n'));
  const inspection = await inspectDataset(await openDataset(join(folder, 'labels.csv')), {});
  expect(inspection.nearDuplicates.map((set) => set.map(({ name, split }) => `${name} ${split}`))).toEqual([
    ['a.png train', 'a-copy.jpg test'],
    ['c.png train', 'c-small.png train'],
  ]);
  const counted = Object.fromEntries(inspection.problems.map(({ kind, count }) => [kind, count]));
  expect(counted).toMatchObject({
    duplicate: 1,
    'near-duplicate': 2,
    'near-duplicate-across-splits': 1,
    'near-duplicate-labels-differ': 1,
    'one-color': 1,
  });
});

test('a class with few examples is counted once, however many splits it is rare in', async () => {
  const classes = Array.from({ length: 71 }, (_, j) => `c${j}`);
  const lines = Array.from({ length: 142 }, (_, row) =>
    [`${row}.png`, ...classes.map((_, j) => Number(row % 71 === j))].join(','),
  );
  writeFileSync(join(tmp, 'many.csv'), [['file', ...classes].join(','), ...lines].join('\n'));
  const { problems } = await inspectDataset(await openDataset(join(tmp, 'many.csv')), { images: false });
  const rare = problems.find(({ kind }) => kind === 'rare-class');
  expect(rare?.count).toBeLessThanOrEqual(71);
  expect(rare?.examples.length).toBe(rare?.count);
});

test('COCO: annotations and pairs of groups are counted as in the file', async () => {
  const categories = [
    { id: 1, name: 'cat', supercategory: 'animal' },
    { id: 2, name: 'dog', supercategory: 'animal' },
    { id: 3, name: 'boat', supercategory: 'vehicle' },
  ];
  const images = [0, 1, 2, 3].map((id) => ({ id, file_name: `${id}.jpg` }));
  const objects = [
    [0, 1],
    [0, 1],
    [0, 3],
    [1, 2],
    [1, 1],
    [2, 3],
  ];
  const annotations = objects.map(([image_id, category_id]) => ({ image_id, category_id }));
  writeFileSync(join(tmp, 'instances.json'), JSON.stringify({ images, annotations, categories }));
  const inspection = await inspectDataset(await openDataset(join(tmp, 'instances.json')), { images: false });
  expect(inspection.classCounts.map(({ name, annotations: count }) => [name, count])).toEqual([
    ['cat', 3],
    ['dog', 1],
    ['boat', 2],
  ]);
  expect(inspection.familyCounts.map(({ name, annotations: count }) => [name, count])).toEqual([
    ['animal', 4],
    ['vehicle', 2],
  ]);
  expect(inspection.familyCooccurrence).toEqual([
    [2, 1],
    [1, 2],
  ]);
  const kept = await openDataset(join(tmp, 'instances.json'), { keep: ['boat', 'cat'] });
  expect(
    (await inspectDataset(kept, { images: false })).familyCounts.map((family) => family.annotations),
  ).toEqual([3, 2]);
});

test('strict makes an unreadable image an error', async () => {
  await expect(inspectDataset(await faulty(), { strict: true })).rejects.toThrow(
    /^image '[hi]\.png' \(row [78]\): /,
  );
});

test('text and page show the counts and problems; the page loads nothing external', async () => {
  const data = await faulty();
  const inspection = await inspectDataset(data, {});
  const text = inspectText(inspection);
  expect(text).toMatch(/train +2 +4 +6 +66\.7 +3/);
  expect(text).not.toContain('uncertain');
  expect(text).toContain("! 1 group ('patient') in more than one split");
  expect(text).not.toMatch(/! 1 (\w+s\b(?<!class)|of these (are|have))/);
  const page = inspectPage(inspection, await pagePictures(data, inspection));
  expect(page).not.toMatch(/(src|href)="(?!data:|#)/);
  expect(page).not.toMatch(/<script[^>]|@import|url\((?!#)/);
  expect(page).toContain('&lt;cat&gt;');
  expect(page).not.toContain('<cat>');
  expect(page.match(/data:image\/webp/g)!.length).toBe(2 + 1 + 2 + 3 + 3); // three look alike; <cat>: a, b; dog: b; negative: c, d; h and i unreadable; one of each on the first screen
});

test('without images, only tables are examined', async () => {
  const { images, quarantined } = await inspectDataset(await faulty(), { images: false });
  expect([images, quarantined]).toEqual([undefined, []]);
});

test('λ follows the share of negatives', () => {
  expect(lambdaAdvice(0.54)).toMatchObject({ from: 0.01, to: 0.05, start: 0.02 });
  expect(lambdaAdvice(0.7)).toMatchObject({ from: 0.01, to: 0.2, start: 0.02 });
  expect(lambdaAdvice(0.8)).toMatchObject({ from: 0.01, to: 0.2, start: 0.02 });
});
