// From JPEG and PNG files to float tensors on the CPU, per core, against Pillow + torchvision in the same run:
// decoded each time, and from the prepared cache. Then the rate with all cores, at which a GPU is fed.
//
//     node bench/dist/data/loading.js          PYTHON names the Python that has Pillow and torchvision

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setThreadCount } from '@anyclass/torch';
import {
  createLoader,
  type Dataset,
  decodedPixels,
  openDataset,
  openPixels,
  type PixelSource,
  prepareCache,
} from 'anyclass/data';
import { deviceBatch } from 'anyclass/data/tensors';

const count = 256;
const format = { width: 224, height: 224, channels: 3 } as const;
const peer = fileURLToPath(new URL('../../data/pillow_peer.py', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'anyclass-bench-'));

interface Rate {
  readonly perCoreSecond: number;
  readonly perSecond: number;
}

try {
  console.log(
    `${count} photographs as JPEG, quality 90, or PNG, to 224x224 normalized float tensors; best of 3`,
  );
  for (const [width, height, extension] of [
    [640, 480, 'jpg'],
    [1280, 960, 'jpg'],
    [640, 480, 'png'],
  ] as const) {
    await comparePhotographs(width, height, extension);
  }
} finally {
  rmSync(folder, { recursive: true });
}

async function comparePhotographs(width: number, height: number, extension: string): Promise<void> {
  const files = join(folder, `${width}-${extension}`);
  execFileSync('mkdir', ['-p', files]);
  python('make', files, String(count), String(width), String(height), extension);
  const names = Array.from(
    { length: count },
    (_, i) => `${String(i).padStart(5, '0')}.${extension},${i % 2}`,
  );
  writeFileSync(join(files, 'labels.csv'), ['Filename,x', ...names].join('\n'));
  const dataset = await openDataset(join(files, 'labels.csv'));

  setThreadCount(1);
  const before = pillowRate(files);
  const decoded = await measure(dataset, decodedPixels(dataset.images, format, { processes: 0 }), 1);
  const cacheFolder = join(files, 'cache');
  await prepareCache(dataset, { format, folder: cacheFolder });
  const cached = await openPixels(dataset, format, cacheFolder);
  // As long as the other epochs: one of 40 ms would be mostly start and end.
  const fromCache = await measure(dataset, cached.pixels, 1, 16);
  const decoders = decodedPixels(dataset.images, format);
  const allCores = await measure(dataset, decoders, 2 * availableParallelism());
  await decoders.close();
  const difference = await pixelDifference(dataset, files);
  // Before and after ours, so that a temporary slowdown of the machine does not make the peer look slow.
  const theirs = Math.max(before, pillowRate(files));

  console.log(`\n${width}x${height}, ${extension}`);
  row('Pillow + torchvision', theirs, theirs);
  row('anyclass, decoding', decoded.perCoreSecond, theirs);
  row('anyclass, from the cache', fromCache.perCoreSecond, theirs);
  console.log(`  all ${availableParallelism()} cores, decoding: ${Math.round(allCores.perSecond)} images/s`);
  console.log(`  mean difference from Pillow's antialiased bilinear: ${difference.toFixed(2)} gray levels`);
  await cached.pixels.close();
}

function pillowRate(files: string): number {
  const { imagesPerCoreSecond }: { imagesPerCoreSecond: number } = JSON.parse(python('rate', files));
  return imagesPerCoreSecond;
}

function row(what: string, rate: number, base: number): void {
  const times = (rate / base).toFixed(1);
  console.log(
    `  ${what.padEnd(26)} ${String(Math.round(rate)).padStart(7)} images per core-second  ${times}x`,
  );
}

/** Images per second of CPU time and of wall time, through loader and tensors. */
async function measure(dataset: Dataset, pixels: PixelSource, threads: number, times = 1): Promise<Rate> {
  const rows = Int32Array.from({ length: times * count }, (_, i) => i % count);
  const loader = createLoader(dataset, pixels, { rows, batchSize: 64, shuffle: true, threads });
  let best: Rate = { perCoreSecond: 0, perSecond: 0 };
  for (let epoch = 0; epoch < 4; epoch++) {
    const start = performance.now();
    const before = process.cpuUsage();
    for await (using batch of loader.epoch(epoch)) {
      const mean = [0.47, 0.447, 0.408];
      const std = [0.233, 0.228, 0.231];
      const { inputs, targets } = deviceBatch(batch, { format, device: 'cpu', mean, std });
      inputs.dispose();
      targets.dispose();
    }
    const { user, system } = process.cpuUsage(before);
    const rate = {
      perCoreSecond: rows.length / ((user + system) / 1e6),
      perSecond: rows.length / ((performance.now() - start) / 1000),
    };
    // The first epoch warms up.
    if (epoch > 0 && rate.perCoreSecond > best.perCoreSecond) best = rate;
  }
  return best;
}

async function pixelDifference(dataset: Dataset, files: string): Promise<number> {
  const out = join(folder, 'pillow.bin');
  python('resize', files, out);
  const theirs = readFileSync(out);
  const ours = new Uint8Array(theirs.length);
  const pixels = decodedPixels(dataset.images, format, { processes: 0 });
  const stride = theirs.length / count;
  for (let i = 0; i < count; i++) await pixels.readInto(i, ours, i * stride);
  return ours.reduce((sum, value, i) => sum + Math.abs(value - theirs[i]!), 0) / ours.length;
}

function python(...options: string[]): string {
  return execFileSync(process.env['PYTHON'] ?? '/usr/bin/python3', [peer, ...options], { encoding: 'utf8' });
}
