import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setSeed } from '@anyclass/torch';
import sharp from 'sharp';
import { beforeAll, expect, test } from 'vitest';
import { testFolder } from '../../../../files/test/testFolder.js';
import { closeDataset, splitNames } from '../../data/dataset/dataset.js';
import { openDataset } from '../../data/openDataset.js';
import { createNetwork } from '../../networks/createNetwork.js';
import { saveModel } from '../../runs/modelFile.js';
import { embed } from './embedDataset.js';

const folder = testFolder();
const model = join(folder, 'model.safetensors');
const labels = join(folder, 'labels.csv');

beforeAll(async () => {
  setSeed(1);
  using network = createNetwork('resnet-18', { classes: 2, inputSize: 32 });
  saveModel(model, {
    network,
    description: {
      classes: ['a', 'b'],
      channels: 3,
      mean: [0.5, 0.5, 0.5],
      std: [0.2, 0.2, 0.2],
      epoch: 1,
      loss: 'bce',
      dataset: '',
    },
  });
  const rows = [
    'x,1.png,train,1,',
    'x,2.png,train,0,0',
    '"y, z",3.png,validation,0.25,1',
    'y,4.png,test,0,0',
    'y,5.png,test,0,0',
  ];
  writeFileSync(labels, ['patient,Filename,split,"a, b",c', ...rows].join('\n'));
  for (const [i, name] of ['1.png', '2.png', '3.png', '4.png'].entries()) {
    await sharp({
      create: { width: 32, height: 32, channels: 3, background: { r: 60 * i, g: 90, b: 200 - 40 * i } },
    })
      .png()
      .toFile(join(folder, name));
  }
});

async function contents(path: string) {
  const dataset = await openDataset(path);
  const { names, labels: matrix, classes, groups, splits, features } = dataset;
  const rows = Int32Array.from({ length: names.length }, (_, row) => row);
  const vectors = new Float32Array(names.length * features!.names.length);
  await features!.read(rows, vectors);
  const found = {
    names: Array.from(rows, (row) => names.at(row)),
    labels: Array.from(rows, (row) => classes.map((_, j) => matrix.at(row, j))),
    classes,
    groups: Array.from(rows, (row) => groups?.names[groups.codes[row]!]),
    splits: splitNames.map((split) => [...splits[split]]),
    width: features!.names.length,
    vectors,
  };
  await closeDataset(dataset);
  return found;
}

test('embeddings with names, groups, splits and labels form a dataset, the same in every file format', async () => {
  const kinds = await Promise.all(
    ['parquet', 'csv', 'npy', 'safetensors'].map(async (kind) => {
      const out = join(folder, kind, `features.${kind}`);
      const { files, rows, features, quarantined } = await embed(model, labels, {
        out,
        batchSize: 3,
        device: 'cpu',
      });
      expect([rows, features, quarantined.map(({ name }) => name)]).toEqual([4, 512, ['5.png']]);
      expect(files.every((file) => existsSync(file))).toBe(true);
      return contents(out);
    }),
  );
  const [first, ...others] = kinds;
  expect(first).toMatchObject({
    names: ['1.png', '2.png', '3.png', '4.png'],
    classes: ['a, b', 'c'],
    labels: [
      [1, Number.NaN],
      [0, 0],
      [0.25, 1],
      [0, 0],
    ],
    groups: ['x', 'x', 'y, z', 'y'],
    splits: [[0, 1], [2], [3], []],
    width: 512,
  });
  expect(new Set(first!.vectors).size).toBeGreaterThan(100);
  for (const other of others) expect(other).toEqual(first);
});

test('a failure leaves no file behind', async () => {
  const out = join(folder, 'strict', 'features.npy');
  await expect(embed(model, labels, { out, strict: true, device: 'cpu' })).rejects.toThrow(/5\.png/);
  expect(readdirSync(join(folder, 'strict'))).toEqual([]);
});

test('an unknown file extension is rejected before anything is computed', async () => {
  await expect(embed(model, labels, { out: join(folder, 'features.txt') })).rejects.toThrow(
    /expected \.csv, \.parquet/,
  );
});
