import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import sharp from 'sharp';
import { expect, test } from 'vitest';
import { testFolder } from '../../../files/test/testFolder.js';
import { fileWriter } from '../../test/labelLayouts.js';
import { validateConfiguration } from '../configuration/validate.js';
import { openDataset } from '../data/openDataset.js';
import { fittingInput, inputEfforts, inputView, sidesOf, smallMapWarning } from './inputAdvice.js';
import { inspectDataset } from './inspectDataset.js';
import { inspectText } from './inspectText.js';
import { suggestConfiguration } from './suggestConfiguration.js';

const folder = testFolder();

const picture = (width: number, height: number, number: number) =>
  sharp({
    create: { width, height, channels: 3, background: { r: number * 20, g: 90, b: 200 - number * 9 } },
  })
    .png()
    .toBuffer();

test('small images are enlarged until four by four positions are left, with the reason and the cost', () => {
  const { size, reason } = fittingInput(64, 32);
  expect(size).toBe(128);
  expect(reason).toMatch(/images of 64 px are enlarged.*2 by 2 positions.*4 by 4 positions.*4 times as long/);
  expect(fittingInput(640, 32)).toMatchObject({ size: 224 });
  expect(fittingInput(200, 32)).toMatchObject({ size: 224 });
  expect(fittingInput(64, 16)).toMatchObject({ size: 64 });
  expect(fittingInput(640, 16, undefined, inputEfforts.cpu)).toMatchObject({ size: 128 });
});

test('small objects ask for a larger input, up to twice the image', () => {
  const sides = (side: number) => new Float32Array(9).fill(side);
  expect(fittingInput(640, 32, sides(0.5)).size).toBe(224);
  expect(fittingInput(640, 32, sides(0.1)).size).toBe(320);
  expect(fittingInput(640, 32, sides(0.1)).reason).toContain('half of the objects are smaller than 22 px');
  expect(fittingInput(100, 32, sides(0.01)).size).toBe(224);
});

test('any images and objects get enough positions and no less detail than up to 224 px', () => {
  const sides = fc.array(fc.float({ min: Math.fround(0.001), max: 1, noNaN: true }), { maxLength: 20 });
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 5000 }),
      fc.constantFrom(8, 14, 16, 32),
      sides,
      (side, stride, all) => {
        const { size } = fittingInput(side, stride, Float32Array.from(all).sort());
        expect(size / stride).toBeGreaterThanOrEqual(4);
        expect(size).toBeGreaterThanOrEqual(Math.min(side, 224));
        expect(size).toBeLessThanOrEqual(448);
      },
    ),
  );
});

test('a view has the median object in pixels and the share below one position', () => {
  const view = inputView(128, 32, Float32Array.of(0.125, 0.25, 0.5));
  expect(view).toEqual({ size: 128, positions: 4, objectSide: 32, belowPosition: 1 / 3 });
  expect(inputView(96, 32)).toEqual({ size: 96, positions: 3 });
});

test('a last map of three by three positions or less is a warning', () => {
  expect(smallMapWarning({ name: 'resnet-18', inputSize: 128 })).toEqual([]);
  expect(smallMapWarning({ name: 'vit-b-16', inputSize: 64, patchSize: 16 })).toEqual([]);
  expect(smallMapWarning({ name: 'mlp', inputSize: 12 })).toEqual([]);
  expect(smallMapWarning({ name: 'resnet-18', inputSize: 96 })).toEqual([
    expect.stringMatching(
      /^warning: network.inputSize 96 leaves 3 by 3 positions.*128 leaves 4 by 4.*1.8 times/,
    ),
  ]);
});

test('objects of COCO, YOLO and Pascal VOC have places and sizes relative to their image', async () => {
  const write = fileWriter(folder);
  const image = await picture(40, 20, 1);
  write('coco/a.png', image);
  const bbox = [0, 0, 20, 5]; // half of the width, a quarter of the height
  write(
    'coco/instances.json',
    JSON.stringify({
      images: [{ id: 7, file_name: 'a.png', width: 40, height: 20 }],
      categories: [
        { id: 1, name: 'dog' },
        { id: 2, name: 'cat' },
      ],
      annotations: [
        { id: 1, image_id: 7, category_id: 2, bbox },
        { id: 2, image_id: 7, category_id: 1 },
        { id: 3, image_id: 7, category_id: 1, bbox: [0, 0, 40, 20] },
      ],
    }),
  );
  write('yolo/data.yaml', 'train: images\nval: images2\nnames: [cat]\n');
  write('yolo/images/a.png', image);
  write('yolo/images2/b.png', image);
  write('yolo/labels/a.txt', '0 0.5 0.5 0.5 0.25\n0 0.1 0.1 0.6 0.1 0.6 0.35\n');
  write('yolo/labels2/b.txt', '');
  mkdirSync(join(folder, 'voc', 'Annotations'), { recursive: true });
  write('voc/JPEGImages/a.png', image);
  const box = '<bndbox><xmin>10</xmin><ymin>10</ymin><xmax>30</xmax><ymax>15</ymax></bndbox>';
  write(
    'voc/Annotations/a.xml',
    `<annotation><size><width>40</width><height>20</height></size><object><name>cat</name>${box}</object></annotation>`,
  );
  const side = Math.fround(Math.sqrt(0.5 * 0.25));
  const sides = async (spec: string, keep?: string[]) => {
    const dataset = await openDataset(join(folder, spec), keep && { keep });
    await dataset.images.close();
    return [...(sidesOf(dataset) ?? [])];
  };
  expect(await sides('coco/instances.json')).toEqual([side, 1]);
  expect(await sides('coco/instances.json', ['cat'])).toEqual([side]);
  expect(await sides('yolo')).toEqual([side, expect.closeTo(side, 6)]);
  expect(await sides('voc')).toEqual([side]);
  const places = async (spec: string) => {
    const dataset = await openDataset(join(folder, spec));
    await dataset.images.close();
    return Array.from(dataset.objects!.places, (share) => Math.round(1000 * share) / 1000);
  };
  expect(await places('coco/instances.json')).toEqual([0, 0, 0.5, 0.25, 0, 0, 1, 1]);
  expect(await places('yolo')).toEqual([0.25, 0.375, 0.5, 0.25, 0.1, 0.1, 0.5, 0.25]);
  expect(await places('voc')).toEqual([0.25, 0.5, 0.5, 0.25]);
});

test('an inspection shows what is left at several inputs, and init enlarges small images and says so', async () => {
  const write = fileWriter(join(folder, 'tiny'));
  const lines = ['image,crack'];
  for (let i = 0; i < 8; i++) {
    write(`${i}.png`, await picture(24, 32, i));
    lines.push(`${i}.png,${i % 2}`);
  }
  write('labels.csv', lines.join('\n'));
  const table = join(folder, 'tiny', 'labels.csv');
  const inspection = await inspectDataset(table);
  expect(inspection.input).toMatchObject({ stride: 32, suggested: 160, objects: 0 });
  expect(inspection.input?.views.map(({ size, positions }) => [size, positions])).toEqual([
    [64, 2],
    [128, 4],
    [160, 5],
    [224, 7],
    [448, 14],
  ]);
  expect(inspectText(inspection)).toMatch(/160 px \(suggested\) +5 × 5/);
  const { configuration, remarks, expectedSeconds } = await suggestConfiguration(table);
  expect(expectedSeconds).toBeGreaterThan(0);
  expect(configuration['network']).toEqual({ name: 'tresnet-s', inputSize: 64 });
  expect(remarks.join('\n')).toContain('input 64 px: images of 24 px are enlarged');
  const kept = { name: 'tresnet-m', inputSize: 160 };
  const many = await suggestConfiguration('digits', { 'data.digits.scenes.train': 5000 }, { hasGpu: true });
  expect(many.configuration).toMatchObject({
    network: kept,
    epochs: 40,
    sizes: 'progressive',
    augmentation: 'crops',
    finalWeights: 'last',
  });
  const small = await suggestConfiguration(table, { 'network.inputSize': 32 });
  expect(small.configuration['network']).toEqual({ name: 'tresnet-s', inputSize: 32 });
  expect(small.remarks.join('\n')).toContain('warning: network.inputSize 32 leaves 2 by 2 positions');
});

test('tiles are those of the input that is used, also if it was set', async () => {
  const write = fileWriter(join(folder, 'scratches'));
  write('data.yaml', 'train: images\nval: images2\nnames: [scratch]\n');
  for (const part of ['', '2']) {
    for (let i = 0; i < 4; i++) {
      write(`images${part}/${i}.png`, await picture(1200, 1200, i));
      write(`labels${part}/${i}.txt`, i % 2 === 0 ? '0 0.5 0.5 0.01 0.01\n' : '');
    }
  }
  const tilesOf = async (set: object) => {
    const suggestion = await suggestConfiguration(join(folder, 'scratches'), { ...set }, { hasGpu: false });
    return validateConfiguration(suggestion.configuration).network;
  };
  for (const set of [{}, { 'network.inputSize': 64 }]) {
    const { inputSize, tiles } = await tilesOf(set);
    expect(tiles?.overlap).toBeLessThan(Number(inputSize));
    expect(tiles?.imageSize).toBeGreaterThanOrEqual(2 * Number(inputSize));
  }
});

test('an inspection says what tiles keep of small objects in large images', async () => {
  const write = fileWriter(folder);
  write('large/a.png', await picture(1200, 1000, 1));
  write(
    'large/instances.json',
    JSON.stringify({
      images: [{ id: 1, file_name: 'a.png', width: 1200, height: 1000 }],
      categories: [{ id: 1, name: 'scratch' }],
      annotations: [{ id: 1, image_id: 1, category_id: 1, bbox: [10, 10, 12, 12] }],
    }),
  );
  const dataset = await openDataset(join(folder, 'large/instances.json'));
  const { input } = await inspectDataset(dataset);
  expect(input?.reason).toMatch(/init sets network.tiles: .*9 tiles of 448 px/);
  await dataset.images.close();
});
