// Studio's list of 1,000 runs of 100 epochs, beside TensorBoard with the same curves.
//
//     npm run bench:studio -- [RUNS] [EPOCHS]          PYTHON names the Python that has tensorboard

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { writeRuns } from './madeRuns.js';

const [runs, epochs] = [Number(process.argv[2] ?? 1000), Number(process.argv[3] ?? 100)];
const program = fileURLToPath(new URL('../../../packages/anyclass/bin/anyclass.js', import.meta.url));
const peer = fileURLToPath(new URL('../../studio/tensorboard_runs.py', import.meta.url));
const python = process.env['PYTHON'] ?? 'python3';
const folder = mkdtempSync(join(tmpdir(), 'anyclass-bench-studio-'));
const children: ChildProcess[] = [];

try {
  writeRuns(join(folder, 'runs'), runs, epochs);
  const made = spawnSync(python, [peer, join(folder, 'board'), String(runs), String(epochs)], {
    stdio: 'inherit',
  });
  console.log(
    '| | start to all runs | of that, after its address | processor time | again | memory at most |',
  );
  console.log('|---|---|---|---|---|---|');
  print('Studio', await studio());
  if (made.status === 0) print('TensorBoard', await tensorboard());
} finally {
  for (const child of children) child.kill();
  rmSync(folder, { recursive: true });
}

interface Side {
  /** Milliseconds from the start of the process, and from its address, until all runs are listed. */
  readonly cold: number;
  readonly listed: number;
  /** Milliseconds of the same question again: the median of 11. */
  readonly warm: number;
  /** MiB, at most; next, processor time until then in seconds, which depends less on what else the machine does. */
  readonly memory: number;
  readonly processor: number;
}

function print(name: string, { cold, listed, warm, memory, processor }: Side): void {
  console.log(
    `| ${name}, ${runs} runs x ${epochs} epochs | ${cold.toFixed(0)} ms | ${listed.toFixed(0)} ms | ${processor.toFixed(1)} s | ${warm.toFixed(0)} ms | ${memory.toFixed(0)} MiB |`,
  );
}

async function studio(): Promise<Side> {
  const start = performance.now();
  const child = spawn(process.execPath, [program, 'studio', join(folder, 'runs'), '--json'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  const [line] = await once(child);
  const { url }: { url: string } = JSON.parse(line ?? '');
  const printed = performance.now();
  const exchanged = await fetch(url, { redirect: 'manual' });
  const cookie = exchanged.headers.get('set-cookie')?.split(';')[0] ?? '';
  const list = async (): Promise<number> => {
    const answer = await fetch(new URL('/api/runs', url), { headers: { cookie } });
    const { rows }: { rows: { curve: unknown[] }[] } = JSON.parse(await answer.text());
    return rows.filter(({ curve }) => curve.length > 0).length;
  };
  if ((await list()) !== runs) throw new Error('runs are missing');
  const all = performance.now();
  const processor = processorTime(child);
  return {
    cold: all - start,
    listed: all - printed,
    processor,
    warm: await again(list),
    memory: peak(child),
  };
}

async function tensorboard(): Promise<Side> {
  const start = performance.now();
  const port = 16_006;
  const child = spawn(
    python,
    [
      '-m',
      'tensorboard.main',
      '--logdir',
      join(folder, 'board'),
      '--port',
      String(port),
      '--load_fast=false',
    ],
    {
      stdio: 'ignore',
    },
  );
  children.push(child);
  let printed = 0;
  const list = async (): Promise<number> => {
    const answer = await fetch(`http://localhost:${port}/data/plugin/scalars/tags`);
    if (printed === 0) printed = performance.now();
    return Object.values(JSON.parse(await answer.text())).length;
  };
  while ((await list().catch(() => 0)) < runs) {
    if (performance.now() - start > 300_000)
      throw new Error('TensorBoard did not list all runs in 5 minutes');
    await new Promise((done) => setTimeout(done, 50));
  }
  const all = performance.now();
  const processor = processorTime(child);
  return {
    cold: all - start,
    listed: all - printed,
    processor,
    warm: await again(list),
    memory: peak(child),
  };
}

async function again(list: () => Promise<number>): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < 11; i++) {
    const start = performance.now();
    await list();
    times.push(performance.now() - start);
  }
  return times.sort((a, b) => a - b)[5] ?? 0;
}

async function once(child: ChildProcess): Promise<string[]> {
  if (!child.stdout) throw new Error('no output');
  for await (const line of createInterface({ input: child.stdout })) return [line];
  throw new Error('it ended');
}

/** Seconds of all its threads, from Linux's clock ticks of 10 ms. */
function processorTime({ pid }: ChildProcess): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

function peak({ pid }: ChildProcess): number {
  return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
}
