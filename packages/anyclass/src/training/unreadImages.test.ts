import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { testFolder } from '../../../files/test/testFolder.js';
import { tinyRun } from '../../test/tinyRun.js';
import type { StepEvent } from '../events/runEvent.js';
import { trainRun } from './trainRun.js';

const fixtures = resolve(import.meta.dirname, '../../test/fixtures/data');
const folder = testFolder();

test('progress counts the images that were read, not those that are missing or damaged', async () => {
  mkdirSync(join(folder, 'images'));
  const rows = Array.from({ length: 32 }, (_, i) => ({
    name: `images/${i}.png`,
    split: i < 24 ? 'train' : 'val',
  }));
  for (const [i, { name }] of rows.entries()) {
    if (i < 2) writeFileSync(join(folder, name), 'damaged');
    // Numbers 2 to 5 are missing.
    else if (i >= 6) copyFileSync(join(fixtures, 'rgb.png'), join(folder, name));
  }
  const dataset = join(folder, 'labels.csv');
  const lines = rows.map(({ name, split }, i) => `${name},${i % 2},${split}`);
  writeFileSync(dataset, ['Filename,x,split', ...lines].join('\n'));
  const steps: StepEvent[] = [];
  await trainRun(
    { ...tinyRun, data: { dataset }, batchSize: 8, epochs: 1, evaluation: { replicates: 0 } },
    { run: join(folder, 'run'), onEvent: (event) => void (event.type === 'step' && steps.push(event)) },
  );
  expect(steps.at(-1)).toMatchObject({ step: 3, steps: 3, images: 18, imagesPerEpoch: 24 });
}, 60_000);
