import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { beforeAll, expect, test } from 'vitest';
import { testFolder } from '../../../files/test/testFolder.js';
import { validateConfiguration } from '../configuration/validate.js';
import type { RunEvent } from '../events/runEvent.js';
import { prepareCaches } from './prepareCaches.js';

const folder = testFolder();

beforeAll(async () => {
  mkdirSync(join(folder, 'images'));
  const lines = ['Filename,crack'];
  for (let i = 0; i < 12; i++) {
    const image = sharp(new Uint8Array(64).fill(20 * i), { raw: { width: 8, height: 8, channels: 1 } });
    await image.png().toFile(join(folder, 'images', `${i}.png`));
    lines.push(`${i}.png,${i % 2}`);
  }
  writeFileSync(join(folder, 'labels.csv'), `${lines.join('\n')}\n`);
});

test('a cache that several runs share is prepared once for each size, and then left alone', async () => {
  const configuration = (inputSize: number, seed: number, epochs = 3) =>
    validateConfiguration({
      data: { dataset: join(folder, 'labels.csv'), cache: join(folder, 'cache') },
      network: { name: 'tresnet-s', inputSize },
      epochs,
      seed,
    });
  const labels: string[] = [];
  const onEvent = (event: RunEvent) => {
    if (event.type === 'progress' && event.done === event.total) labels.push(`${event.task} ${event.total}`);
  };
  const runs = [configuration(16, 1), configuration(16, 2), configuration(32, 1)];
  await prepareCaches(runs, onEvent, new AbortController().signal);
  expect(labels).toEqual(['preparing labels.csv 12', 'preparing labels.csv 12']);
  expect(readdirSync(join(folder, 'cache'))).toHaveLength(2);
  await prepareCaches(runs, onEvent, new AbortController().signal);
  expect(labels).toHaveLength(2);
  await prepareCaches([configuration(64, 1, 1)], onEvent, new AbortController().signal);
  expect(labels, 'one epoch decodes less than a cache').toHaveLength(2);
});
