// Files that are devices, which may never end, are refused by kind before they are read, wherever a user or a dataset names one.

import { mkdirSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testFolder } from '../../../files/test/testFolder.js';
import { runInProcess } from '../../test/inProcess.js';

const folder = testFolder();
const at = (name: string) => join(folder, name);
// It ends, unlike others, so that a test fails instead of filling the memory.
const device = '/dev/null';

test.skipIf(process.platform === 'win32').each([
  ['a token', ['serve', 'm.safetensors', '--token-file', device]],
  ['answers to import', ['audit', 'log.jsonl', '--labels', 'own.csv', '--import', device]],
  [
    'a list of classes',
    ['import', 'm.pt', '--network', 'resnet-18', '--classes', device, '--out', 'o.safetensors'],
  ],
  ['a configuration', ['train', 'config.json', '--run', 'run']],
  ['names of a split', ['inspect', 'labels.csv', '--image-folder', '.', '--split-folder', 'splits']],
  ['names of a dataset in YOLO format', ['inspect', 'yolo']],
])('%s from a device', async (_, words) => {
  for (const name of ['splits', 'yolo', 'yolo/labels', 'yolo/images'])
    mkdirSync(at(name), { recursive: true });
  writeFileSync(at('labels.csv'), 'image,crack\na.png,1\n');
  const prediction = { id: 'a', model: 'm', version: '1', name: 'a.png', isNegative: true, s: 0.1 };
  const drawn = { probabilities: { crack: 0.1 }, audit: { q: 0.5, drawn: true } };
  const time = '2026-11-17T05:00:00.000Z';
  writeFileSync(
    at('log.jsonl'),
    `${JSON.stringify({ time, sha256: '', ...prediction, ...drawn })}
`,
  );
  for (const name of ['config.json', 'splits/train.txt', 'yolo/classes.txt']) symlinkSync(device, at(name));
  try {
    const { status, stderr } = await runInProcess(folder, words);
    expect([status, stderr]).toEqual([1, expect.stringMatching(/is a device/)]);
  } finally {
    for (const name of ['config.json', 'splits/train.txt', 'yolo/classes.txt']) unlinkSync(at(name));
  }
});
