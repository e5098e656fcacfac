import { chmodSync, copyFileSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test, vi } from 'vitest';
import { testFolder } from '../../../../../files/test/testFolder.js';
import { imageInputs } from '../../../inference/imageInputs.js';
import { scoreRows } from '../../../inference/scoreRows.js';
import { createLoader } from '../../batches/loader.js';
import { prepareCache } from '../../cache/prepareCache.js';
import type { Dataset } from '../../dataset/dataset.js';
import { openDataset } from '../../openDataset.js';
import { decodeError } from '../formats/sharpImage.js';
import { decodedPixels } from '../pixelSource.js';
import { checkJudgedImages } from './missingImages.js';
import { fromStorage, MachineError, MissingImageError, StorageError } from './storage.js';

const fixtures = resolve(import.meta.dirname, '../../../../test/fixtures/data');
const root = testFolder();
afterEach(() => vi.unstubAllEnvs());
const format = { width: 8, height: 8, channels: 3 } as const;

/** Twelve images in a new folder; `absent` has no file, `damaged` is truncated. */
async function files(name: string, { absent = -1, damaged = -1 } = {}): Promise<Dataset> {
  const folder = join(root, name);
  mkdirSync(join(folder, 'images'), { recursive: true });
  const rows = Array.from({ length: 12 }, (_, i) => i);
  for (const i of rows) {
    if (i === damaged) writeFileSync(join(folder, 'images', `${i}.png`), 'PNG');
    else if (i !== absent) copyFileSync(join(fixtures, 'rgb.png'), join(folder, 'images', `${i}.png`));
  }
  writeFileSync(
    join(folder, 'labels.csv'),
    ['Filename,x', ...rows.map((i) => `${i}.png,${i % 2}`)].join('\n'),
  );
  return openDataset(join(folder, 'labels.csv'), { imageFolder: join(folder, 'images') });
}

const all = Int32Array.from({ length: 12 }, (_, i) => i);

async function scored(dataset: Dataset, options: { allowPartial?: boolean } = {}) {
  const progress: number[] = [];
  const scorer = { format, score: (batch: { size: number }) => ({ logits: new Float32Array(batch.size) }) };
  const pixels = decodedPixels(dataset.images, format);
  const onProgress = (done: number) => progress.push(done);
  try {
    const result = await scoreRows(scorer, dataset, pixels, {
      rows: all,
      batchSize: 4,
      onProgress,
      ...options,
    });
    return { ...result, progress };
  } finally {
    await pixels.close();
  }
}

test('a folder that is briefly unavailable is waited for, and no image is lost', async () => {
  const dataset = await files('moment');
  const folder = join(root, 'moment', 'images');
  const loader = createLoader(dataset, decodedPixels(dataset.images, format), { rows: all, batchSize: 4 });
  renameSync(folder, `${folder}-away`);
  const back = sleep(400).then(() => renameSync(`${folder}-away`, folder));
  let read = 0;
  for await (const batch of loader.epoch(0)) read += batch.size;
  await back;
  expect({ read, quarantined: loader.quarantined() }).toEqual({ read: 12, quarantined: [] });
});

test('a subfolder is waited for too, if something was read from it before', async () => {
  const folder = join(root, 'below');
  mkdirSync(join(folder, '2024'), { recursive: true });
  const names = ['2024/a.png', '2024/b.png', '2025/c.png'];
  writeFileSync(join(folder, 'labels.csv'), ['Filename,x', ...names.map((name) => `${name},1`)].join('\n'));
  for (const name of names.slice(0, 2)) copyFileSync(join(fixtures, 'rgb.png'), join(folder, name));
  const { images } = await openDataset(join(folder, 'labels.csv'));
  await images.read(0);
  // A folder that never existed: its images are missing, and there is no waiting.
  await expect(images.read(2)).rejects.toBeInstanceOf(MissingImageError);
  renameSync(join(folder, '2024'), join(folder, 'away'));
  const back = sleep(400).then(() => renameSync(join(folder, 'away'), join(folder, '2024')));
  await expect(images.read(1)).resolves.toMatchObject({ kind: 'encoded' });
  await back;
  vi.stubEnv('ANYCLASS_STORAGE_SECONDS', '0.2');
  rmSync(join(folder, '2024'), { recursive: true });
  await expect(images.read(1)).rejects.toThrow(/the folder .*2024 is gone/);
});

test('storage that stays unavailable is a separate error and quarantines no image', async () => {
  vi.stubEnv('ANYCLASS_STORAGE_SECONDS', '0.2');
  const dataset = await files('away');
  rmSync(join(root, 'away', 'images'), { recursive: true });
  const loader = createLoader(dataset, decodedPixels(dataset.images, format), { rows: all, batchSize: 4 });
  await expect(loader.epoch(0).next()).rejects.toThrow(/the folder .*images is gone/);
  expect(loader.quarantined()).toEqual([]);
  // Like a mount point without its disk: it exists but is empty.
  mkdirSync(join(root, 'away', 'images'));
  await expect(scored(dataset)).rejects.toBeInstanceOf(StorageError);
  await expect(prepareCache(dataset, { format, folder: join(root, 'cache') })).rejects.toBeInstanceOf(
    StorageError,
  );
});

test('disk and network errors are retried, others are not', async () => {
  vi.stubEnv('ANYCLASS_STORAGE_SECONDS', '5');
  let attempts = 0;
  const failing = (code: string, times: number) => async () => {
    if (attempts++ < times) throw Object.assign(new Error(code), { code });
    return 'content';
  };
  expect(await fromStorage('a.png', root, failing('EIO', 2))).toBe('content');
  expect(attempts).toBe(3);
  attempts = 0;
  await expect(fromStorage('a.png', root, failing('EACCES', 9))).rejects.toThrow('permission denied');
  expect(attempts).toBe(2);
  attempts = 0;
  await expect(fromStorage('a.png', root, failing('ENOENT', 9))).rejects.toBeInstanceOf(MissingImageError);
  expect(attempts).toBe(2);
});

test.skipIf(process.platform !== 'linux')(
  'a file whose name is not UTF-8 is refused with that reason (needs Linux)',
  async () => {
    const folder = join(root, 'names');
    for (const name of ['cat', 'dog']) mkdirSync(join(folder, name), { recursive: true });
    for (const name of ['cat/a', 'dog/b'])
      copyFileSync(join(fixtures, 'rgb.png'), join(folder, `${name}.png`));
    const odd = Buffer.concat([
      Buffer.from(join(folder, 'cat/')),
      Buffer.of(0xe9, 0xff),
      Buffer.from('.png'),
    ]);
    copyFileSync(join(fixtures, 'rgb.png'), odd);
    const { images, names } = await openDataset(folder);
    const row = Array.from({ length: names.length }, (_, i) => names.at(i)).findIndex((name) =>
      name.includes('\ufffd'),
    );
    await expect(images.read(row)).rejects.toThrow(/the name .*is not valid UTF-8; rename the file/);
  },
);

test('no metrics from a part: a missing image to evaluate is an error that names it', async () => {
  const dataset = await files('partial', { absent: 7 });
  await expect(scored(dataset)).rejects.toThrow(
    /1 of 12 images to evaluate are missing \(7\.png\).*data\.allowPartial/,
  );
  await expect(checkJudgedImages(dataset, all)).rejects.toThrow('7.png');
  const { rows, quarantined, progress } = await scored(dataset, { allowPartial: true });
  expect([...rows]).not.toContain(7);
  expect(quarantined).toMatchObject([{ row: 7, missing: true }]);
  expect(progress).toEqual([0, 4, 7, 11]);
});

test('damaged images are left out and do not count as missing', async () => {
  const { rows, quarantined } = await scored(await files('damaged', { damaged: 5 }));
  expect(rows.length).toBe(11);
  expect(quarantined).toEqual([{ row: 5, name: '5.png', reason: expect.any(String) }]);
});

test.skipIf(process.getuid?.() === 0)('an image without read permission counts as missing', async () => {
  const dataset = await files('forbidden');
  chmodSync(join(root, 'forbidden', 'images', '3.png'), 0);
  await expect(scored(dataset)).rejects.toThrow('3.png');
});

test('a lack of threads for the decoder is a separate error and quarantines no image', async () => {
  const lack = decodeError(new Error('glib: Error creating thread: Resource temporarily unavailable'));
  expect(lack).toBeInstanceOf(MachineError);
  expect(lack.message).toContain('ulimit -u');
  const dataset = await files('threads');
  const inputs = { format, readInto: () => Promise.reject(lack), close: async () => {} };
  const loader = createLoader(dataset, inputs, { rows: all, batchSize: 4 });
  await expect(loader.epoch(0).next()).rejects.toBe(lack);
  expect(loader.quarantined()).toEqual([]);
});

test('a path that never existed is reported immediately', async () => {
  for await (const input of imageInputs([join(root, 'nowhere', 'a.png')]))
    await expect(input.read()).rejects.toThrow('no such file');
});
