import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import type { Dataset } from '../dataset/dataset.js';
import { decodedPixels, type PixelSource } from '../images/pixelSource.js';
import { openDataset } from '../openDataset.js';
import { type Batch, createLoader, type LoaderOptions } from './loader.js';

const dataset = await openDataset('digits', { digits: { scenes: { train: 203, validation: 8, test: 8 } } });
const format = { width: 32, height: 32, channels: 1 } as const;
const pixels = decodedPixels(dataset.images, format);
afterAll(() => pixels.close());
const options = { rows: dataset.splits.train, batchSize: 16, shuffle: true, seed: 5 };

async function collect(given: Partial<LoaderOptions>, epoch: number, startStep = 0): Promise<Batch[]> {
  const batches: Batch[] = [];
  const loader = createLoader(dataset, pixels, { ...options, ...given });
  for await (const batch of loader.epoch(epoch, { startStep })) batches.push(batch);
  return batches;
}

function content(batch: Batch): object {
  return { indices: [...batch.indices], images: Buffer.from(batch.inputs), targets: [...batch.targets] };
}

test('one and eight decode threads give the same batches, byte for byte', async () => {
  const one = await collect({ threads: 1, prefetch: 1 }, 2);
  const eight = await collect({ threads: 8, prefetch: 4 }, 2);
  expect(eight.map(content)).toEqual(one.map(content));
  expect(one.length).toBe(13);
  expect(one.at(-1)!.size).toBe(203 - 12 * 16);
});

test('an epoch started in the middle continues like the full one', async () => {
  const whole = await collect({}, 1);
  const late = await collect({}, 1, 7);
  expect(late.map(content)).toEqual(whole.slice(7).map(content));
  expect(late[0]!.step).toBe(7);
});

test('the combined batches of four ranks equal those of one', async () => {
  const one = await collect({}, 3);
  const ranks = await Promise.all([0, 1, 2, 3].map((rank) => collect({ rank, world: 4 }, 3)));
  const together = one.map((_, step) => ({
    indices: ranks.flatMap((batches) => [...batches[step]!.indices]),
    images: Buffer.concat(ranks.map((batches) => batches[step]!.inputs)),
    targets: ranks.flatMap((batches) => [...batches[step]!.targets]),
  }));
  expect(together).toEqual(one.map(content));
});

test('copies of an image in an epoch have numbers of their own for random changes, the same from any step and on any rank', async () => {
  const rates = Float64Array.from(options.rows, (row) => (row % 4 === 0 ? 3 : 0.5));
  const whole = await collect({ rates }, 1);
  const indices = whole.flatMap((batch) => [...batch.indices]);
  const draws = whole.flatMap((batch) => [...batch.draws!]);
  expect(new Set(indices).size).toBeLessThan(indices.length);
  expect(new Set(draws).size).toBe(draws.length);
  const count = dataset.names.length;
  expect(draws.map((draw) => draw % count)).toEqual(indices);
  expect(Math.max(...draws.map((draw) => Math.floor(draw / count)))).toBeGreaterThanOrEqual(2);
  const late = await collect({ rates }, 1, 3);
  expect(late.map(({ draws }) => draws)).toEqual(whole.slice(3).map(({ draws }) => draws));
  const ranks = await Promise.all([0, 1].map((rank) => collect({ rates, rank, world: 2 }, 1)));
  expect(whole.map((_, step) => ranks.flatMap((batches) => [...batches[step]!.draws!]))).toEqual(
    whole.map(({ draws }) => [...draws!]),
  );
});

test('epochs have different orders of the same rows, unless unshuffled', async () => {
  const rowsOf = async (given: Partial<LoaderOptions>, epoch: number) =>
    (await collect(given, epoch)).flatMap((batch) => [...batch.indices]);
  const first = await rowsOf({}, 0);
  const second = await rowsOf({}, 1);
  expect(second).not.toEqual(first);
  expect([...second].sort((a, b) => a - b)).toEqual([...dataset.splits.train]);
  expect(await rowsOf({ shuffle: false }, 0)).toEqual([...dataset.splits.train]);
  expect((await rowsOf({ dropLast: true }, 0)).length).toBe(192);
});

test('targets are the labels of the rows', async () => {
  for (const batch of await collect({}, 0)) {
    batch.indices.forEach((row, i) => {
      const expected = dataset.classes.map((_, j) => dataset.labels.at(row, j));
      expect([...batch.targets.subarray(i * 6, i * 6 + 6)]).toEqual(expected);
    });
  }
});

test('an unreadable image is left out of its batch and listed; strict makes it an error', async () => {
  const picture = readFileSync(resolve(import.meta.dirname, '../../../test/fixtures/data/rgb.jpg'));
  const damaged: Dataset = {
    ...dataset,
    images: {
      ...dataset.images,
      read: async (row) =>
        row % 5 === 0 ? { kind: 'encoded', bytes: picture.subarray(0, 300) } : dataset.images.read(row),
    },
  };
  const source = decodedPixels(damaged.images, format);
  const given = { rows: Int32Array.of(3, 4, 5, 6), batchSize: 4 };
  const loader = createLoader(damaged, source, given);
  const whole = createLoader(dataset, pixels, given);
  for await (const batch of loader.epoch(0)) {
    expect([...batch.indices]).toEqual([3, 4, 6]);
    for await (const all of whole.epoch(0)) {
      expect(Buffer.from(batch.inputs.subarray(2 * 1024))).toEqual(
        Buffer.from(all.inputs.subarray(3 * 1024)),
      );
    }
  }
  expect(loader.quarantined()).toMatchObject([{ row: 5, name: 'train-000005' }]);
  const strict = createLoader(damaged, source, { ...given, strict: true }).epoch(0);
  await expect(strict.next()).rejects.toThrow(/^image 'train-000005' \(row 5\): /);
  await source.close();
});

/** A source that counts the reads that were started and are running. */
function counted(): PixelSource & { begun: number; running: number } {
  return {
    format,
    begun: 0,
    running: 0,
    async readInto() {
      this.begun += 1;
      this.running += 1;
      await setTimeout(1);
      this.running -= 1;
    },
    close: async () => {},
  };
}

test('a slow consumer slows down the producer', async () => {
  const source = counted();
  const epoch = createLoader(dataset, source, { ...options, prefetch: 2 }).epoch(0);
  for (const batches of [2, 3]) {
    await epoch.next();
    await expect.poll(() => source.begun).toBe(batches * 16);
    await setTimeout(50);
    expect(source.begun).toBe(batches * 16);
  }
  await epoch.return(undefined);
});

test('an abort and an early exit from the loop both stop all work', async () => {
  const controller = new AbortController();
  const source = counted();
  const loader = createLoader(dataset, source, { ...options, threads: 2, prefetch: 4 });
  const aborted = loader.epoch(0, { signal: controller.signal });
  await aborted.next();
  controller.abort(new Error('enough'));
  await expect(aborted.next()).rejects.toThrow('enough');
  expect(source.running).toBe(0);
  for await (const batch of loader.epoch(0)) if (batch.step === 1) break;
  const { begun } = source;
  expect(source.running).toBe(0);
  await setTimeout(50);
  expect(source.begun).toBe(begun);
});

test('an impossible plan is refused', () => {
  expect(() => createLoader(dataset, pixels, { ...options, world: 17 })).toThrow(
    /16 cannot be shared among 17/,
  );
  expect(() => createLoader(dataset, pixels, { ...options, batchSize: 300, dropLast: true })).toThrow(
    /203 rows are fewer/,
  );
  expect(() => createLoader(dataset, pixels, { ...options, rows: new Int32Array(0) })).toThrow('no rows');
});
