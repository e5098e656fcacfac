import { readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testFolder } from '../../../files/test/testFolder.js';
import type { ConfigurationInput } from '../configuration/schema.js';
import { fitMinutes } from './timedRun.js';

const folder = testFolder();

// Rows of features, because it does not matter here what is learned.
const rows = Array.from({ length: 80 }, (_, i) => {
  const split = i < 40 ? 'train' : i < 60 ? 'validation' : 'test';
  return `${i},${split},${i % 2},${Number(i % 5 === 0)},${Math.sin(i)},${(i % 5) / 5}`;
});
writeFileSync(join(folder, 'soil.csv'), `Filename,split,dry,sour,feature_0,feature_1\n${rows.join('\n')}\n`);
const endless: ConfigurationInput = {
  data: { dataset: join(folder, 'soil.csv') },
  network: { name: 'linear' },
  schedule: { name: 'steps', milestones: [50_000_000] },
  epochs: 100_000_000,
  batchSize: 8,
  device: 'cpu',
  threads: 1,
};

test('a run that takes too long gets fewer epochs, its milestones with it, and is told why', async () => {
  const notes: string[] = [];
  const { epochs, schedule, evaluation } = await fitMinutes(endless, 1, {
    onEvent: (event) => event.type === 'note' && notes.push(event.text),
  });
  expect(epochs).toBeGreaterThan(2);
  expect(epochs).toBeLessThan(100_000_000);
  expect(schedule.milestones).toEqual([Math.round(epochs / 2)]);
  expect(evaluation.test).toBe(true);
  expect(notes.at(-1)).toContain(`${epochs.toLocaleString('en-US')} epochs in 1 minute`);
});

test('a run that fits stays as it is, and leaves nothing of the measurement behind', async () => {
  const left = () => readdirSync(tmpdir()).filter((name) => name.startsWith('anyclass-speed-'));
  const before = left();
  expect((await fitMinutes({ ...endless, epochs: 3 }, 60)).epochs).toBe(3);
  expect(left()).toEqual(before);
});

test('a time in which nothing can be learned is refused', async () => {
  await expect(fitMinutes(endless, 0.001)).rejects.toMatchObject({ option: 'minutes' });
});
