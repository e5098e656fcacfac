// From 12-bit scans to 224x224 pixels of 8 bits, per core, against pydicom and tifffile in the same run: reading, the window, resizing.
//
//     node bench/dist/data/scans.js          PYTHON names the Python that has pydicom, tifffile and Pillow

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { decodeImage, type PixelFormat } from 'anyclass/data';

const count = 16;
const side = 1024;
const format: PixelFormat = { width: 224, height: 224, channels: 1 };
const peer = fileURLToPath(new URL('../../data/scans_peer.py', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'anyclass-bench-'));

try {
  console.log(
    `${count} scans of ${side}x${side}, 12 bits, to 224x224 of 8 bits; best of 3, images per core-second`,
  );
  python('make', folder, String(count), String(side));
  await compare('dicom', 'pydicom', format);
  await compare('dicom-rle', 'pydicom', format);
  await compare('tiff', 'tifffile', { ...format, window: [0, 4095] });
  await compare('tiff-deflate', 'tifffile', { ...format, window: [0, 4095] });
} finally {
  rmSync(folder, { recursive: true });
}

async function compare(kind: string, name: string, wanted: PixelFormat): Promise<void> {
  const place = join(folder, kind);
  const before = theirRate(place);
  const { rate, pixels } = await ourRate(place, wanted);
  // Before and after ours, so that a temporary slowdown of the machine does not make the peer look slow.
  const theirs = Math.max(before, theirRate(place));
  python('resize', place, join(folder, 'pixels.bin'));
  const expected = readFileSync(join(folder, 'pixels.bin'));
  const difference =
    expected.reduce((sum, value, i) => sum + Math.abs(value - pixels[i]!), 0) / expected.length;
  const shown = (value: number) => value.toFixed(1).padStart(7);
  console.log(
    `${kind.padEnd(13)} anyclass ${shown(rate)}  ${name.padEnd(8)} ${shown(theirs)}  ${(rate / theirs).toFixed(2)}x  mean difference ${difference.toFixed(2)} gray levels`,
  );
}

async function ourRate(place: string, wanted: PixelFormat): Promise<{ rate: number; pixels: Uint8Array }> {
  const names = readdirSync(place).sort();
  const pixels = new Uint8Array(names.length * wanted.width * wanted.height);
  let best = 0;
  for (let round = 0; round < 4; round++) {
    const before = process.cpuUsage();
    for (const [i, name] of names.entries()) {
      const bytes = readFileSync(join(place, name));
      pixels.set(await decodeImage({ kind: 'encoded', bytes }, wanted), i * wanted.width * wanted.height);
    }
    const { user, system } = process.cpuUsage(before);
    if (round > 0) best = Math.max(best, names.length / ((user + system) / 1e6)); // the first round warms up
  }
  return { rate: best, pixels };
}

function theirRate(place: string): number {
  const { imagesPerCoreSecond }: { imagesPerCoreSecond: number } = JSON.parse(python('rate', place));
  return imagesPerCoreSecond;
}

function python(...options: string[]): string {
  const environment = { ...process.env, OMP_NUM_THREADS: '1', OPENBLAS_NUM_THREADS: '1' };
  const program = process.env['PYTHON'] ?? '/usr/bin/python3';
  return execFileSync(program, [peer, ...options], { encoding: 'utf8', env: environment });
}
