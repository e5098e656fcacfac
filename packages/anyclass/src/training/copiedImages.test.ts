// Copies of an image in two splits of a run's own data, under other names, and groups in two splits.

import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { expect, test } from 'vitest';
import { testFolder } from '../../../files/test/testFolder.js';
import { evaluate } from '../evaluation/evaluate.js';
import { trainRun } from './trainRun.js';

const folder = testFolder();
const at = (...names: string[]) => join(folder, ...names);

/** 40 images in each split, every fourth with a crack; each file in `copied` gets the bytes of another. */
async function train(
  name: string,
  copied: Readonly<Record<string, string>>,
  groupOf?: (split: string, i: number) => string,
) {
  mkdirSync(at(name));
  const rows: string[] = [];
  for (const [s, split] of ['train', 'validation', 'test'].entries()) {
    for (let i = 0; i < 40; i++) {
      const background = { r: 6 * i, g: 80 * s, b: i % 4 === 0 ? 200 : 20 };
      const image = sharp({ create: { width: 16, height: 16, channels: 3, background } });
      await image.png().toFile(at(name, `${split}-${i}.png`));
      const cells = [
        `${split}-${i}.png`,
        split,
        Number(i % 4 === 0),
        ...(groupOf ? [groupOf(split, i)] : []),
      ];
      rows.push(cells.join());
    }
  }
  for (const [to, from] of Object.entries(copied)) copyFileSync(at(name, from), at(name, to));
  const dataset = at(name, 'labels.csv');
  writeFileSync(dataset, `Filename,split,crack${groupOf ? ',pipe' : ''}\n${rows.join('\n')}\n`);
  const run = at(`${name}-run`);
  const { summary } = await trainRun(
    {
      data: { dataset, ...(groupOf && { columns: { group: 'pipe' } }) },
      network: { name: 'resnet-18', inputSize: 16 },
      epochs: 1,
      finalWeights: 'last',
      device: 'cpu',
      evaluation: { replicates: 0, decision: { falseAlarms: 0.2, confidence: 0.95 } },
    },
    { run },
  );
  const { judgment } = await evaluate(run, dataset, { replicates: 0, device: 'cpu' });
  return [summary?.test?.decided, judgment.decided];
}

test('test images with the contents of validation images are counted, and nothing is promised there; those of training images do not count', async () => {
  for (const decided of await train('apart', { 'test-6.png': 'train-9.png' }))
    expect(decided).toMatchObject({ shared: { rows: 0 }, report: { guarantee: { holds: true } } });
  for (const decided of await train('leaking', {
    'test-3.png': 'train-5.png',
    'test-6.png': 'validation-9.png',
  }))
    expect(decided).toMatchObject({
      shared: { rows: 1, byName: 0, byHash: 1, examples: ['test-6.png'] },
      report: { guarantee: { holds: false, reason: 'shared rows' } },
    });
}, 120_000);

test('test images of groups that the model was trained on count, at the end of training as by evaluate', async () => {
  const pipeOf = (split: string, i: number) => (split === 'test' && i < 8 ? `train-${i}` : `${split}-${i}`);
  for (const decided of await train('pipes', {}, pipeOf))
    expect(decided).toMatchObject({
      shared: { rows: 8, byGroup: 8 },
      report: { guarantee: { holds: false, reason: 'shared rows' } },
    });
}, 60_000);
