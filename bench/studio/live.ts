// How far Studio's page is behind a training: one run goes on among 1,000 that have ended. No viewer that can be installed tells pages
// what changes; TensorBoard's page asks every 30 seconds.
//
//     npm run bench:studio, or node bench/dist/studio/live.js [RUNS] [EVENTS]

import { type ChildProcess, spawn } from 'node:child_process';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { NumpyRandom } from '@anyclass/core';
import { takeLock } from '@anyclass/files';
import { writeRuns } from './madeRuns.js';

const [runs, events] = [Number(process.argv[2] ?? 1000), Number(process.argv[3] ?? 60)];
const program = fileURLToPath(new URL('../../../packages/anyclass/bin/anyclass.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'anyclass-bench-studio-'));
let child: ChildProcess | undefined;

try {
  writeRuns(folder, runs + 1, 20);
  // The last run goes on: its log has no end yet, and this process is the one that trains.
  const last = join(folder, `sweep-${Math.floor(runs / 100)}`, `run-${String(runs).padStart(4, '0')}`);
  const log = join(last, 'events.jsonl');
  const lines = readFileSync(log, 'utf8').trimEnd().split('\n').slice(0, -1);
  writeFileSync(log, `${lines.join('\n')}\n`);
  rmSync(join(last, 'summary.json'));
  using _lock = takeLock(join(last, 'lock'));
  const step = JSON.parse(lines.findLast((line) => line.includes('"step"')) ?? '');

  child = spawn(process.execPath, [program, 'studio', folder, '--json'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const { url }: { url: string } = JSON.parse(await firstLine(child));
  const exchanged = await fetch(url, { redirect: 'manual' });
  const cookie = exchanged.headers.get('set-cookie')?.split(';')[0] ?? '';
  const live = await fetch(new URL('/api/live', url), { headers: { cookie } });
  const seen = arrivals(live);
  await setTimeout(3000);

  const delays: number[] = [];
  const random = new NumpyRandom(0);
  for (let i = 1; i <= events; i++) {
    await setTimeout(100 + 900 * random.random());
    const secondsLeft = 1000 + i;
    const written = performance.now();
    appendFileSync(
      log,
      `${JSON.stringify({ ...step, time: new Date().toISOString(), step: 1, secondsLeft })}\n`,
    );
    while (!seen.has(secondsLeft) && performance.now() - written < 10_000) await setTimeout(1);
    delays.push((seen.get(secondsLeft) ?? Number.POSITIVE_INFINITY) - written);
  }
  delays.sort((a, b) => a - b);
  const at = (share: number) => delays[Math.ceil(share * events) - 1]?.toFixed(0);
  console.log('| runs | events | median | p95 | longest |\n|---|---|---|---|---|');
  console.log(`| ${runs} | ${events} | ${at(0.5)} ms | ${at(0.95)} ms | ${at(1)} ms |`);
} finally {
  child?.kill();
  rmSync(folder, { recursive: true });
}

/** When the time left of a run was first told to the page, by that time. */
function arrivals(answer: Response): ReadonlyMap<number, number> {
  const seen = new Map<number, number>();
  const read = async () => {
    let rest = '';
    for await (const part of answer.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      const blocks = (rest + part).split('\n\n');
      rest = blocks.pop() ?? '';
      for (const block of blocks) {
        if (!block.startsWith('event: changes')) continue;
        for (const [, seconds] of block.matchAll(/"secondsLeft":(\d+)/g)) {
          if (!seen.has(Number(seconds))) seen.set(Number(seconds), performance.now());
        }
      }
    }
  };
  // The server is killed at the end, which ends the answer with an error.
  read().catch(() => undefined);
  return seen;
}

async function firstLine({ stdout }: ChildProcess): Promise<string> {
  if (!stdout) throw new Error('no output');
  for await (const line of createInterface({ input: stdout })) return line;
  throw new Error('Studio ended');
}
