// Servers to measure, and the load on them.

import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import autocannon from 'autocannon';
import type { MeasuredModel, MeasuredPicture } from './models.js';

export interface MeasuredServer extends AsyncDisposable {
  readonly name: string;
  readonly url: string;
  readonly pid: number;
}

/** `anyclass serve` in a process of its own, as users start it. */
export function ours(name: string, model: string, port: number, options: readonly string[] = []) {
  const program = new URL('../../../packages/anyclass/bin/anyclass.js', import.meta.url).pathname;
  const words = [
    program,
    'serve',
    `m=${model}`,
    '--port',
    String(port),
    '--log-level',
    'error',
    '--drain',
    '0',
  ];
  return start(name, process.execPath, [...words, ...options], port);
}

export function peer(model: MeasuredModel, port: number) {
  const program = new URL('../../serving/peer.py', import.meta.url).pathname;
  return start('FastAPI', process.env['PEER_PYTHON'] ?? 'python3', [program, model.onnx, String(port)], port);
}

async function start(
  name: string,
  program: string,
  words: readonly string[],
  port: number,
): Promise<MeasuredServer> {
  const child = spawn(program, words, { stdio: ['ignore', 'ignore', 'inherit'] });
  const ended = new Promise<void>((done) => child.once('exit', () => done()));
  const url = `http://127.0.0.1:${port}`;
  for (let tries = 0; ; tries++) {
    if (child.exitCode !== null || tries === 600) throw new Error(`${name} does not start`);
    if (
      await fetch(`${url}/health/live`).then(
        ({ ok }) => ok,
        () => false,
      )
    )
      break;
    await new Promise((next) => setTimeout(next, 100));
  }
  return {
    name,
    url,
    pid: child.pid ?? 0,
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

export interface Load {
  readonly connections: number;
  readonly seconds: number;
  /** Requests per second; as fast as answers come where left out. */
  readonly rate?: number;
}

export interface Measured {
  /** Good answers per second. */
  readonly goodput: number;
  readonly p50: number;
  readonly p99: number;
  /** Milliseconds to an answer of 429, sorted. */
  readonly rejections: readonly number[];
  readonly failures: number;
}

/** Sends one picture over and over. */
export async function predictLoad(url: string, { picture }: MeasuredPicture, load: Load): Promise<Measured> {
  const { connections, seconds, rate } = load;
  const good: number[] = [];
  const rejections: number[] = [];
  let failures = 0;
  const start = performance.now();
  await new Promise<void>((done, fail) => {
    const instance = autocannon(
      {
        url: `${url}/v1/predict`,
        method: 'POST',
        headers: { 'content-type': 'image/jpeg' },
        body: picture,
        connections,
        duration: seconds,
        timeout: 60,
        ...(rate !== undefined && { overallRate: rate }),
      },
      (error) => (error ? fail(error) : done()),
    );
    instance.on('response', (_client, status, _bytes, milliseconds) => {
      if (status === 200) good.push(milliseconds);
      else if (status === 429) rejections.push(milliseconds);
      else failures += 1;
    });
    instance.on('reqError', () => {
      failures += 1;
    });
  });
  const elapsed = (performance.now() - start) / 1000;
  good.sort((a, b) => a - b);
  return {
    goodput: good.length / elapsed,
    p50: quantile(good, 0.5),
    p99: quantile(good, 0.99),
    rejections: rejections.sort((a, b) => a - b),
    failures,
  };
}

/** Milliseconds to the answer of /health/live, asked every 20 ms for as long as some work takes; sorted. */
export async function livenessDuring(url: string, work: Promise<unknown>): Promise<number[]> {
  let isDone = false;
  void work.finally(() => {
    isDone = true;
  });
  const times: number[] = [];
  while (!isDone) {
    const start = performance.now();
    await (await fetch(`${url}/health/live`)).text();
    times.push(performance.now() - start);
    await new Promise((next) => setTimeout(next, 20));
  }
  return times.sort((a, b) => a - b);
}

/** Processor time of a process so far, in milliseconds; it tells more than the clock where others use the cores too. */
export function processorTime(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
  return 10 * (Number(fields[11]) + Number(fields[12]));
}

export function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}
