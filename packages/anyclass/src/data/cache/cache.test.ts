import { spawnSync } from 'node:child_process';
import {
  closeSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { crc32 } from 'node:zlib';
import { thisProcess } from '@anyclass/files';
import { expect, test } from 'vitest';
import { testFolder } from '../../../../files/test/testFolder.js';
import type { RunEvent } from '../../events/runEvent.js';
import { createLoader } from '../batches/loader.js';
import type { Dataset } from '../dataset/dataset.js';
import { imagesAddon } from '../images/decoding/imagesAddon.js';
import { jpegDecoder } from '../images/decoding/jpeg.js';
import { decodedPixels, type PixelSource } from '../images/pixelSource.js';
import { openDataset } from '../openDataset.js';
import { cachePath, manifestFor, writeManifest } from './cacheFiles.js';
import { openPixels } from './openCache.js';
import { prepareCache } from './prepareCache.js';

const fixtures = resolve(import.meta.dirname, '../../../test/fixtures/data');
const root = testFolder();
const format = { width: 16, height: 16, channels: 3 } as const;

/** A folder of real image files with a table; one file is truncated. */
async function files(name: string, count: number): Promise<{ data: Dataset; folder: string; cache: string }> {
  const folder = join(root, name);
  mkdirSync(folder);
  const lines = ['Filename,x'];
  for (let i = 0; i < count; i++) {
    copyFileSync(join(fixtures, i % 2 === 0 ? 'rgb.png' : 'rgb.jpg'), join(folder, `${i}.img`));
    lines.push(`${i}.img,${i % 3 === 0 ? 1 : 0}`);
  }
  writeFileSync(join(folder, '5.img'), readFileSync(join(fixtures, 'rgb.png')).subarray(0, 60));
  writeFileSync(join(folder, 'labels.csv'), lines.join('\n'));
  return { data: await openDataset(join(folder, 'labels.csv')), folder, cache: join(root, `${name}-cache`) };
}

async function pixelsOf(source: PixelSource, row: number): Promise<Buffer> {
  const out = Buffer.alloc(16 * 16 * 3);
  await source.readInto(row, out, 0);
  return out;
}

test('the cache has the pixels of the originals and quarantines unreadable ones', async () => {
  const { data, cache } = await files('same', 40);
  const result = await prepareCache(data, { format, folder: cache });
  expect(result).toMatchObject({ rows: 40, decoded: 40, quarantined: [{ row: 5, name: '5.img' }] });
  const { pixels, state } = await openPixels(data, format, cache);
  expect(state.kind).toBe('complete');
  for (const row of [0, 1, 39]) {
    expect(await pixelsOf(pixels, row)).toEqual(await pixelsOf(decodedPixels(data.images, format), row));
  }
  await expect(pixelsOf(pixels, 5)).rejects.toThrow(result.quarantined[0]!.reason);
  await pixels.close();
});

test('rows read together equal rows read alone; readAll returns false if one cannot be read', async () => {
  const { data, cache } = await files('together', 60);
  await prepareCache(data, { format, folder: cache });
  const { pixels } = await openPixels(data, format, cache);
  expect(pixels.readAll).toBeDefined();
  const rows = Int32Array.from({ length: 50 }, (_, i) => (i * 7 + 6) % 60).filter((row) => row !== 5);
  const out = new Uint8Array(rows.length * 768);
  expect(await pixels.readAll!(rows, out)).toBe(true);
  for (const [i, row] of rows.entries())
    expect(Buffer.from(out.subarray(i * 768, (i + 1) * 768))).toEqual(await pixelsOf(pixels, row));

  expect(await pixels.readAll!(Int32Array.of(4, 5), out)).toBe(false);
  const images = join(cachePath(cache, manifestFor(data, format, jpegDecoder())), 'images.bin');
  truncateSync(images, 59 * 768 + 100);
  expect(await pixels.readAll!(Int32Array.of(58), out)).toBe(true);
  expect(await pixels.readAll!(Int32Array.of(58, 59), out)).toBe(false);
  await expect(async () => pixels.readAll!(rows, out.subarray(1))).rejects.toThrow('do not fit into out');
  await pixels.close();
});

test('an image that is altered or truncated in the cache is detected on reading and read from its original', async () => {
  const { data, cache } = await files('flipped', 20);
  const { path } = await prepareCache(data, { format, folder: cache });
  const bin = readFileSync(join(path, 'images.bin'));
  bin[3 * 768 + 10] = bin[3 * 768 + 10]! ^ 1;
  writeFileSync(join(path, 'images.bin'), bin.subarray(0, 18 * 768 + 5));
  const notes: string[] = [];
  const { pixels } = await openPixels(data, format, cache, { onNote: (text) => notes.push(text) });
  expect(await pixels.readAll!(Int32Array.of(2, 4), new Uint8Array(2 * 768))).toBe(true);
  expect(await pixels.readAll!(Int32Array.of(2, 3), new Uint8Array(2 * 768))).toBe(false);
  const originals = decodedPixels(data.images, format);
  for (const row of [2, 3, 18, 19])
    expect(await pixelsOf(pixels, row)).toEqual(await pixelsOf(originals, row));
  expect(notes).toEqual([expect.stringMatching(/cache at .* is damaged \(row 3: the checksum differs\)/)]);
  await pixels.close();
});

test("the native reader's checksums match zlib's for every length", async () => {
  const readRows = imagesAddon()!.readRows;
  const bytes = Buffer.from(Array.from({ length: 3000 }, (_, i) => (i * 7919 + (i >> 3)) % 256));
  writeFileSync(join(root, 'bytes.bin'), bytes);
  const file = openSync(join(root, 'bytes.bin'), 'r');
  for (const length of [...Array(200).keys(), 500, 768, 1001, 1500].filter((n) => n > 0)) {
    const out = new Uint8Array(length);
    const second = bytes.subarray(length, 2 * length);
    const read = (sum: number) => readRows(file, Int32Array.of(1), Uint32Array.of(sum), length, out, 0);
    expect([length, await read(crc32(second)), await read(crc32(second) ^ 4)]).toEqual([length, true, false]);
  }
  closeSync(file);
});

test('preparing again decodes only what changed; a changed original makes the cache stale', async () => {
  const { data, folder, cache } = await files('changed', 30);
  await prepareCache(data, { format, folder: cache });
  expect((await prepareCache(data, { format, folder: cache })).decoded).toBe(0);
  copyFileSync(join(fixtures, 'gray.png'), join(folder, '7.img'));
  utimesSync(join(folder, '7.img'), 1, 1);
  expect((await openPixels(data, format, cache)).state).toMatchObject({
    kind: 'stale',
    text: /'7\.img' changed/,
  });
  expect((await prepareCache(data, { format, folder: cache })).decoded).toBe(1);
  const { pixels, state } = await openPixels(data, format, cache);
  expect(state.kind).toBe('complete');
  expect(await pixelsOf(pixels, 7)).toEqual(await pixelsOf(decodedPixels(data.images, format), 7));
  await pixels.close();
});

test('a check finds and repairs pixels that changed on disk', async () => {
  const { data, cache } = await files('checked', 20);
  const { path } = await prepareCache(data, { format, folder: cache });
  const bin = readFileSync(join(path, 'images.bin'));
  bin[3 * 768 + 10] = bin[3 * 768 + 10]! ^ 1;
  writeFileSync(join(path, 'images.bin'), bin);
  expect((await prepareCache(data, { format, folder: cache, check: true })).decoded).toBe(1);
  const { pixels } = await openPixels(data, format, cache);
  expect(await pixelsOf(pixels, 3)).toEqual(await pixelsOf(decodedPixels(data.images, format), 3));
  await pixels.close();
});

test('an interrupted preparation resumes where it stopped, and the partial cache is usable', async () => {
  const { data, cache } = await files('stopped', 1200);
  const stop = new AbortController();
  const onEvent = (event: RunEvent) => {
    if (event.type === 'progress' && event.done > 0) stop.abort(new Error('stopped'));
  };
  await expect(prepareCache(data, { format, folder: cache, signal: stop.signal, onEvent })).rejects.toThrow(
    'stopped',
  );
  const { pixels, state } = await openPixels(data, format, cache);
  expect(state).toMatchObject({
    kind: 'partial',
    text: 'cache holds 512 of 1200 images; the others are decoded',
  });
  expect(await pixelsOf(pixels, 1199)).toEqual(await pixelsOf(decodedPixels(data.images, format), 1199));
  await pixels.close();
  expect((await prepareCache(data, { format, folder: cache })).decoded).toBe(1200 - 512);
});

test("one call at a time prepares a cache while others wait; a dead process's lock does not count", async () => {
  const { data, cache } = await files('locked', 8);
  const notes: string[] = [];
  const onEvent = (event: RunEvent) => void (event.type === 'note' && notes.push(event.text));
  const [one, two] = await Promise.all([
    prepareCache(data, { format, folder: cache, onEvent }),
    prepareCache(data, { format, folder: cache, onEvent }),
  ]);
  expect([one.decoded, two.decoded].sort()).toEqual([0, 8]);
  expect(notes).toEqual([expect.stringMatching(/^waiting for process \d+ on .*, which is preparing /)]);
  const { path } = one;
  const { pid } = spawnSync('true');
  for (const left of [JSON.stringify({ ...thisProcess(), pid }), '4711']) {
    writeFileSync(join(path, 'prepare.lock'), left);
    expect((await prepareCache(data, { format, folder: cache })).decoded).toBe(0);
    expect(readdirSync(path)).not.toContain('prepare.lock');
  }
});

test('a truncated list of failures loses the reasons, not the cache', async () => {
  const { data, cache } = await files('failures', 8);
  const { path } = await prepareCache(data, { format, folder: cache });
  writeFileSync(join(path, 'failed.jsonl'), '{"row":3,"reas');
  const { pixels, state } = await openPixels(data, format, cache);
  expect(state.kind).toBe('complete');
  await pixels.close();
});

test.skipIf(!existsSync('/proc/self/fd'))(
  'an epoch aborted midway leaves no file open (needs /proc)',
  async () => {
    const { data, cache } = await files('handles', 64);
    await prepareCache(data, { format, folder: cache });
    const openFiles = () => readdirSync('/proc/self/fd').length;
    const before = openFiles();
    for (const folder of [cache, undefined]) {
      const { pixels } = await openPixels(data, format, folder);
      const stop = new AbortController();
      const loader = createLoader(data, pixels, { rows: data.splits.train, batchSize: 4, threads: 8 });
      const epoch = loader.epoch(0, { signal: stop.signal });
      await epoch.next();
      stop.abort(new Error('enough'));
      await expect(epoch.next()).rejects.toThrow('enough');
      await pixels.close();
    }
    expect(openFiles()).toBe(before);
  },
);

test('each size has its own cache, and without one, images are decoded', async () => {
  const { data, cache } = await files('sizes', 8);
  await prepareCache(data, { format, folder: cache });
  const other = await openPixels(data, { ...format, width: 8 }, cache);
  expect(other.state.kind).toBe('absent');
  expect((await openPixels(data, format, undefined)).state.kind).toBe('absent');
});

test('each window and frame has its own cache', async () => {
  const { data: dataset } = await files('windows', 2);
  const formats = [format, { ...format, window: [0, 4095] }, { ...format, frame: 'middle' }] as const;
  const paths = formats.map((wanted) => cachePath('caches', manifestFor(dataset, wanted)));
  expect(new Set(paths).size).toBe(3);
  expect(cachePath('caches', manifestFor(dataset, { ...format, window: 'auto', frame: 'first' }))).toBe(
    paths[0],
  );
});

test("the other JPEG decoder's cache is used until this decoder has its own", async () => {
  const { data, cache } = await files('decoders', 8);
  const other = jpegDecoder() === 'sharp' ? 'libjpeg-turbo' : 'sharp';
  const { path } = await prepareCache(data, { format, folder: cache });
  const [own, others] = [manifestFor(data, format), manifestFor(data, format, other)];
  expect(cachePath(cache, own)).toBe(path);
  renameSync(path, cachePath(cache, others));
  expect((await openPixels(data, format, cache)).state.kind).toBe('absent'); // the manifest names this decoder
  mkdirSync(cachePath(cache, others), { recursive: true });
  writeManifest(cachePath(cache, others), others);
  const { pixels, state } = await openPixels(data, format, cache);
  expect(state.kind).toBe('complete');
  await pixels.close();
  expect((await prepareCache(data, { format, folder: cache })).decoded).toBe(8);
});
