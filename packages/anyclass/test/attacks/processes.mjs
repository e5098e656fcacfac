// Attacks on whole processes: wrong calls to the engine, SIGKILL at any moment, and a full disk.

import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { writeSafetensors } from '@anyclass/torch';
import { killRuns } from '../killedRuns.mjs';
import { program } from '../program.mjs';
import { anyclass, each, fixtures, isMeant } from './support.mjs';

/** Wrong operator calls, in a separate process, which must not crash. */
export async function operators(count, _drawOf, folder, seed) {
  const calls = fileURLToPath(new URL('operatorCalls.mjs', import.meta.url));
  const problems = [];
  for (let start = 0; start < count; start += 2000) {
    const log = join(folder, 'last-call.txt');
    const words = [calls, seed, start, Math.min(2000, count - start), log].map(String);
    const { status, signal } = spawnSync(process.execPath, words);
    if (status !== 0) problems.push(`${signal ?? status} after ${readFileSync(log, 'utf8')}`);
  }
  return problems;
}

/**
 * Runs that are killed and resumed until they finish: their weights must equal those of an uninterrupted run.
 */
export async function killedTraining(count) {
  const { different } = await killRuns(count, () => {});
  return different.map((run) => `${run} finished with different weights`);
}

/** Preparation that is killed and run again: the cache must equal that of an uninterrupted one. */
export async function killedPreparing(count, drawOf, folder) {
  const names = Array.from({ length: 1500 }, (_, i) => `${i}.${i % 3 === 0 ? 'jpg' : 'png'}`);
  for (const name of names)
    copyFileSync(join(fixtures, name.endsWith('png') ? 'rgb.png' : 'rgb.jpg'), join(folder, name));
  const table = join(folder, 'labels.csv');
  writeFileSync(table, ['Filename,x', ...names.map((name, i) => `${name},${i % 2}`)].join('\n'));
  const words = (cache) => [program, 'prepare', table, '--size', '32', '--cache', join(folder, cache)];
  const started = performance.now();
  spawnSync(process.execPath, words('whole'));
  const duration = performance.now() - started;
  const expected = pixelsOf(join(folder, 'whole'));
  return each(count, drawOf, async (draw) => {
    const child = spawn(process.execPath, words('cache'), { stdio: 'ignore' });
    const ended = new Promise((resolve) => child.on('exit', resolve));
    const due = (0.2 + 0.8 * (draw.below(1000) / 1000)) * duration;
    await new Promise((resolve) => setTimeout(resolve, due));
    child.kill('SIGKILL');
    await ended;
    const again = spawnSync(process.execPath, [...words('cache'), '--check'], { encoding: 'utf8' });
    const found = pixelsOf(join(folder, 'cache'));
    rmSync(join(folder, 'cache'), { recursive: true, force: true });
    if (again.status !== 0) return `killed after ${due.toFixed(0)} ms: ${again.stderr}`;
    if (found !== expected) return `killed after ${due.toFixed(0)} ms: different pixels`;
  });
}

function pixelsOf(cache) {
  const files = readdirSync(cache, { recursive: true, encoding: 'utf8' });
  const pixels = files.find((name) => name.endsWith('images.bin'));
  return createHash('sha256')
    .update(readFileSync(join(cache, pixels)))
    .digest('hex');
}

/**
 * Outputs on a disk with room for none, some, or all of their bytes: they must be whole, or absent with a
 * message. Needs permission to mount.
 */
export async function fullDisk(count, drawOf, folder) {
  const disk = join(folder, 'disk');
  mkdirSync(disk);
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', disk]);
  if (mounted.status !== 0) return { skipped: 'needs permission to mount a tmpfs' };
  try {
    const table = (name, cell) => {
      const rows = Array.from({ length: 90 }, (_, i) => `${i}.png,${cell(i)}\n`);
      writeFileSync(join(folder, name), `Filename,x\n${rows.join('')}`);
      return join(folder, name);
    };
    const labels = table('labels.csv', (i) => i % 2);
    const scores = table('scores.csv', (i) => (i % 7) / 7);
    const data = new Uint8Array(200_000);
    const works = {
      'inspect.html': (out) => anyclass(['inspect', labels, '--no-images', '--html', out]),
      'evaluate.html': (out) =>
        anyclass(['evaluate', '--scores', scores, '--labels', labels, '--replicates', '0', '--html', out]),
      'playground.html': (out) => anyclass(['playground', '--out', out]),
      'weights.safetensors': async (out) => {
        try {
          writeSafetensors(out, [['a', { dtype: 'uint8', shape: [data.length], data }]], {});
          return { code: 0, said: '' };
        } catch (error) {
          return { code: 1, said: isMeant(error) ? error.message : error.stack };
        }
      },
    };
    const wholeOf = {};
    for (const [name, work] of Object.entries(works)) {
      await work(join(folder, name));
      wholeOf[name] = readFileSync(join(folder, name)).length;
    }
    return await each(count, drawOf, async (draw) => {
      const names = Object.keys(works);
      const name = names[draw.below(names.length)];
      for (const left of readdirSync(disk)) rmSync(join(disk, left), { recursive: true });
      const free = draw.below(Math.ceil(wholeOf[name] * 1.5));
      writeFileSync(join(disk, 'filler'), Buffer.alloc(Math.max(0, 2 ** 20 - 4096 - free)));
      const { code, said } = await works[name](join(disk, name));
      const left = readdirSync(disk).filter((file) => file !== 'filler');
      if (code === 0) {
        const size = readFileSync(join(disk, name)).length;
        return Math.abs(size - wholeOf[name]) > 200 ? `${name} is truncated to ${size} bytes` : undefined;
      }
      if (left.length > 0) return `${name} left ${left}`;
      if (!said.includes(join(disk, name)) || !/disk is full/.test(said)) return `${name}: ${said}`;
    });
  } finally {
    spawnSync('umount', ['-l', disk]);
    if (existsSync(disk)) rmSync(disk, { recursive: true, force: true });
  }
}
