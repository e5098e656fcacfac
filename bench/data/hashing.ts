// Looking 100,000 thumbnails over as `inspect` does, with all cores: reading, decoding, statistics, SHA-256, perceptual hashes, and which
// of them look alike. Beside it, per core in the same run, decoding and hashing alone with Pillow and SciPy, as the package
// imagehash does with hash_size=16 (`imagehash.phash`).
//
//     node bench/dist/data/hashing.js DATASET          PYTHON names the Python that has Pillow and SciPy

import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inspectDataset } from 'anyclass';
import { openDataset } from 'anyclass/data';

const [spec] = process.argv.slice(2);
if (spec === undefined) throw new Error('name a DATASET of thumbnails');
const limit = 100_000;
const peer = fileURLToPath(new URL('../../data/hashing_peer.py', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'anyclass-bench-'));

try {
  const dataset = await openDataset(spec);
  const start = performance.now();
  const before = process.cpuUsage();
  const { images, problems } = await inspectDataset(dataset, { limit, size: { width: 64, height: 64 } });
  const seconds = (performance.now() - start) / 1000;
  const { user, system } = process.cpuUsage(before);
  const near = problems.find(({ kind }) => kind === 'near-duplicate')?.count ?? 0;
  const examined = images?.examined ?? 0;
  console.log(
    `${examined} thumbnails looked over in ${seconds.toFixed(1)} s on ${availableParallelism()} cores (${((user + system) / 1e6).toFixed(1)} s of CPU time), ${near} sets that look alike; peak of the process ${Math.round(process.resourceUsage().maxRSS / 1000)} MB`,
  );
  const some = 5000;
  const parts: Uint8Array[] = [];
  for (let row = 0; row < some; row++) {
    const image = await dataset.images.read(row);
    if (image.kind !== 'encoded') continue;
    const length = Buffer.alloc(4);
    length.writeUInt32LE(image.bytes.length);
    parts.push(length, image.bytes);
  }
  await dataset.images.close();
  writeFileSync(join(folder, 'images.bin'), Buffer.concat(parts));
  const program = process.env['PYTHON'] ?? '/usr/bin/python3';
  const env = { ...process.env, OMP_NUM_THREADS: '1', OPENBLAS_NUM_THREADS: '1' };
  const said = execFileSync(program, [peer, join(folder, 'images.bin')], { encoding: 'utf8', env });
  const { imagesPerCoreSecond }: { imagesPerCoreSecond: number } = JSON.parse(said);
  const ours = examined / ((user + system) / 1e6);
  console.log(
    `per core-second: anyclass ${ours.toFixed(0)}, of which everything above; Pillow and SciPy ${imagesPerCoreSecond.toFixed(0)}, decoding and hashing alone`,
  );
} finally {
  rmSync(folder, { recursive: true });
}
