// Perceptual hashes of 100,000 thumbnails of 64x64 pixels, and the search for similar ones, as in `inspect`: on one core, against
// the same hashes with Pillow and SciPy as in the package imagehash with hash_size=16 (`imagehash.phash`; without the search). Then
// all of `inspect`, on all cores: reading, decoding, statistics, SHA-256, hashes and the search.
//
//     node bench/dist/data/hashing.js DATASET [INSPECTED]          PYTHON names the Python that has Pillow and SciPy

import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inspectDataset } from 'anyclass';
import { type Dataset, decodeImage, openDataset } from 'anyclass/data';

const [spec, inspected = '100000'] = process.argv.slice(2);
if (spec === undefined) throw new Error('name a DATASET of thumbnails');
const count = 100_000;
const format = { width: 64, height: 64, channels: 3 } as const;
const stride = 64 * 64 * 3;
const peer = fileURLToPath(new URL('../../data/hashing_peer.py', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'anyclass-bench-'));

// Not exported by the package.
const internal = (file: string) =>
  new URL(`../../../packages/anyclass/dist/data/lookAlikes/${file}`, import.meta.url).href;
const { perceptualHash }: typeof import('../../packages/anyclass/src/data/lookAlikes/perceptualHash.js') =
  await import(internal('perceptualHash.js'));
const {
  nearDuplicateFinder,
}: typeof import('../../packages/anyclass/src/data/lookAlikes/nearDuplicates.js') = await import(
  internal('nearDuplicates.js')
);

try {
  const dataset = await openDataset(spec);
  const thumbnails = await decoded(dataset, 2000);
  writeFileSync(join(folder, 'pixels.bin'), thumbnails);
  const before = theirRate();
  const { hashing, searching } = hashAll(thumbnails);
  const theirs = Math.max(before, theirRate());
  const ours = count / hashing;
  console.log(
    `${count} thumbnails hashed in ${hashing.toFixed(1)} s of CPU time, sets found in ${searching.toFixed(1)} s`,
  );
  console.log(
    `hashes per core-second: anyclass ${ours.toFixed(0)}, Pillow and SciPy ${theirs.toFixed(0)}: ${(ours / theirs).toFixed(1)}x`,
  );
  await inspectAll(dataset);
  await dataset.images.close();
} finally {
  rmSync(folder, { recursive: true });
}

async function decoded(dataset: Dataset, some: number): Promise<Uint8Array> {
  const pixels = new Uint8Array(some * stride);
  for (let row = 0; row < some; row++)
    pixels.set(await decodeImage(await dataset.images.read(row), format), row * stride);
  return pixels;
}

/** Many different thumbnails from a few: each is a mix of two. Measures CPU time, a thousand at a time. */
function hashAll(thumbnails: Uint8Array): { hashing: number; searching: number } {
  const finder = nearDuplicateFinder(count);
  const some = thumbnails.length / stride;
  const mixed = new Uint8Array(1000 * stride);
  let hashing = 0;
  for (let first = 0; first < count; first += 1000) {
    for (let k = 0; k < 1000; k++) {
      const row = first + k;
      const one = (row % some) * stride;
      const other = ((row * 7 + Math.floor(row / some) * 13 + 1) % some) * stride;
      for (let i = 0; i < stride; i++)
        mixed[k * stride + i] = (thumbnails[one + i]! + thumbnails[other + i]!) >> 1;
    }
    hashing += cpuSeconds(() => {
      for (let k = 0; k < 1000; k++)
        finder.add(first + k, perceptualHash(mixed.subarray(k * stride, (k + 1) * stride), format));
    });
  }
  return { hashing, searching: cpuSeconds(() => finder.sets()) };
}

function cpuSeconds(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}

async function inspectAll(dataset: Dataset): Promise<void> {
  const start = performance.now();
  const before = process.cpuUsage();
  const { images } = await inspectDataset(dataset, {
    limit: Number(inspected),
    size: { width: 64, height: 64 },
  });
  const seconds = (performance.now() - start) / 1000;
  const { user, system } = process.cpuUsage(before);
  const peak = Math.round(process.resourceUsage().maxRSS / 1000);
  console.log(
    `inspect: ${images?.examined} thumbnails in ${seconds.toFixed(1)} s on ${availableParallelism()} cores (${((user + system) / 1e6).toFixed(1)} s of CPU time); peak of the process ${peak} MB`,
  );
}

function theirRate(): number {
  const program = process.env['PYTHON'] ?? '/usr/bin/python3';
  const env = { ...process.env, OMP_NUM_THREADS: '1', OPENBLAS_NUM_THREADS: '1' };
  const said = execFileSync(program, [peer, join(folder, 'pixels.bin')], { encoding: 'utf8', env });
  const { imagesPerCoreSecond }: { imagesPerCoreSecond: number } = JSON.parse(said);
  return imagesPerCoreSecond;
}
