// The servers to measure, and the load on them.

import { type StdioOptions, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { MeasuredModel, MeasuredPicture } from './models.js';

export interface MeasuredServer extends AsyncDisposable {
  readonly name: string;
  readonly url: string;
  readonly pid: number;
}

/** `anyclass serve` in its own process, as users start it; of this checkout, or of the one at `root`. */
export function ours(
  name: string,
  model: string,
  port: number,
  options: readonly string[] = [],
  root = new URL('../../..', import.meta.url).pathname,
) {
  const program = join(root, 'packages/anyclass/bin/anyclass.js');
  const words = [program, 'serve', `m=${model}`, '--port', String(port)];
  const quietly = ['--log-level', 'error', '--drain', '0'];
  return start(name, process.execPath, [...words, ...quietly, ...options], port);
}

export function peer(model: MeasuredModel, port: number) {
  const program = new URL('../../serving/peer.py', import.meta.url).pathname;
  return start('FastAPI', process.env['PEER_PYTHON'] ?? 'python3', [program, model.onnx, String(port)], port);
}

/** Reads requests and answers ok, which leaves only Node's HTTP and the client. */
export function nothing(port: number) {
  return bare(port, "request.resume().once('end', () => response.end('ok'))");
}

/** Refuses every POST immediately: the least that a server on Node's HTTP can do with a request. */
export function refusing(port: number) {
  return bare(
    port,
    `request.method === 'GET'
      ? response.end('ok')
      : response.writeHead(429, ['Content-Length', '2', 'Retry-After', '1']).end('no')`,
  );
}

function bare(port: number, answer: string) {
  const program = `require('node:http').createServer((request, response) => ${answer}).listen(${port}, '127.0.0.1')`;
  return start('bare', process.execPath, ['-e', program], port);
}

async function start(
  name: string,
  program: string,
  words: readonly string[],
  port: number,
): Promise<MeasuredServer> {
  const child = spawnOn(serverCore, program, words, ['ignore', 'ignore', 'inherit']);
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

// BENCH_CORES=SERVER,CLIENT gives each its own cores, so neither takes CPU time from the other.
const [serverCore, clientCore] = process.env['BENCH_CORES']?.split(',') ?? [];

function spawnOn(core: string | undefined, program: string, words: readonly string[], stdio: StdioOptions) {
  return core === undefined
    ? spawn(program, words, { stdio })
    : spawn('taskset', ['-c', core, program, ...words], { stdio });
}

export interface Load {
  readonly connections: number;
  readonly seconds: number;
  /** Requests per second; if omitted, as fast as answers arrive. */
  readonly rate?: number;
  /** Body of a POST; if omitted, a GET. */
  readonly file?: string;
}

/** A client's measurements; times in milliseconds. */
export interface Measured {
  /** Successful answers per second. */
  readonly goodput: number;
  readonly answers: number;
  readonly p50: number;
  readonly p99: number;
  /** Answers with status 429. */
  readonly rejections: number;
  readonly rejectionP50: number;
  readonly rejectionP99: number;
  readonly failures: number;
  /** Requests that were due when no connection was free. */
  readonly unsent: number;
  /** CPU time of the client. */
  readonly processor: number;
}

/** Sends requests from another process, since a loaded client would also measure its own event loop. */
export function clientLoad(url: string, load: Load): Promise<Measured> {
  const program = new URL('client.js', import.meta.url).pathname;
  const words = [program, JSON.stringify({ url, ...load })];
  const child = spawnOn(clientCore, process.execPath, words, ['ignore', 'pipe', 'inherit']);
  let text = '';
  child.stdout?.on('data', (part) => {
    text += part;
  });
  return new Promise((done, fail) => {
    child.once('close', (code) => (code === 0 ? done(JSON.parse(text)) : fail(new Error('a client failed'))));
  });
}

/** Sends one picture repeatedly. */
export function predictLoad(url: string, { pictureFile }: MeasuredPicture, load: Load): Promise<Measured> {
  return clientLoad(`${url}/v1/predict`, { ...load, file: pictureFile });
}

/** Requests /health/live every 20 ms. */
export function probeLiveness(url: string, seconds: number): Promise<Measured> {
  return clientLoad(`${url}/health/live`, { connections: 4, seconds, rate: 50 });
}

/** CPU time of a process so far, in milliseconds; more telling than wall time if others use the cores too. */
export function processorTime(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
  return 10 * (Number(fields[11]) + Number(fields[12]));
}

/** The most memory that a process has had so far, in megabytes. */
export function mostMemory(pid: number): number {
  return Number(/VmHWM:\s*(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1000;
}

export function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}
