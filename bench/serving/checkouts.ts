// node bench/dist/serving/checkouts.js ROOT ROOT… [--model small|large] [--seconds 5] [--rounds 3]: the servers of two or more built checkouts beside each other,
// for example before and after a change. They get the same load at the same time; prints medians of the rounds.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { median } from '../measure/timing.js';
import {
  clientLoad,
  type Measured,
  type MeasuredServer,
  mostMemory,
  ours,
  predictLoad,
  processorTime,
} from './load.js';
import { largeModel, type MeasuredModel, smallModel } from './models.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    model: { type: 'string' },
    seconds: { type: 'string', default: '5' },
    rounds: { type: 'string', default: '3' },
  },
});
const seconds = Number(values.seconds);
const folder = process.env['BENCH_FOLDER'] ?? mkdtempSync(join(tmpdir(), 'anyclass-serving-'));
let port = 18_480;

interface Row {
  readonly answers: number;
  readonly answerCost: number;
  readonly refusalCost: number;
  readonly healthCost: number;
  readonly memory: number;
}

type Loaded = Pick<Measured, 'answers' | 'rejections' | 'goodput'>;

/** One round. All servers work at the same time, so that they share whatever else the machine does. */
async function measure(roots: readonly string[], model: MeasuredModel): Promise<Row[]> {
  const start = (options: readonly string[] = []) =>
    Promise.all(roots.map((root) => ours('ours', model.onnx, port++, options, root)));
  const stop = (servers: readonly MeasuredServer[]) =>
    Promise.all(servers.map((server) => server[Symbol.asyncDispose]()));
  const predict = (length: number, connections: number) => (url: string) =>
    predictLoad(url, model, { connections, seconds: length });
  const open = await start();
  await Promise.all(open.map(({ url }) => predict(2, 16)(url)));
  const answered = await costs(open, predict(seconds, 16));
  const alive = await costs(open, (url) =>
    clientLoad(`${url}/health/live`, { connections: 8, seconds: seconds / 2 }),
  );
  const memory = open.map(({ pid }) => mostMemory(pid));
  await stop(open);
  // One place in the queue, so that nearly every request is refused.
  const full = await start(['--queue', '1', '--max-batch', '1']);
  const refused = await costs(full, predict(seconds / 2, 32));
  await stop(full);
  return roots.map((_, i) => {
    const { answers, rejections } = refused[i]!.loaded;
    const answerCost = answered[i]!.microseconds;
    return {
      answers: answered[i]!.loaded.goodput,
      answerCost,
      refusalCost: (refused[i]!.microseconds * (answers + rejections) - answers * answerCost) / rejections,
      healthCost: alive[i]!.microseconds,
      memory: memory[i]!,
    };
  });
}

/** CPU time per request of each server while all have this load. */
function costs(servers: readonly MeasuredServer[], load: (url: string) => Promise<Loaded>) {
  return Promise.all(
    servers.map(async ({ pid, url }) => {
      const before = processorTime(pid);
      const loaded = await load(url);
      const spent = 1000 * (processorTime(pid) - before);
      return { loaded, microseconds: spent / (loaded.answers + loaded.rejections) };
    }),
  );
}

const models = [
  ...(values.model === 'large' ? [] : [await smallModel(folder)]),
  ...(values.model === 'small' ? [] : [await largeModel(folder)]),
];
const roots = positionals.map((root) => resolve(root));
for (const model of models) {
  const rounds: Row[][] = [];
  for (let round = 0; round < Number(values.rounds); round++) rounds.push(await measure(roots, model));
  console.log(
    `\n| ${model.name} | answers/s | CPU per answer, µs | per refusal | per /health/live | memory, MB |\n|---|---|---|---|---|---|`,
  );
  for (const [i, root] of roots.entries()) {
    const of = (field: keyof Row) => median(rounds.map((rows) => rows[i]![field])).toFixed(0);
    console.log(
      `| ${basename(root)} | ${of('answers')} | ${of('answerCost')} | ${of('refusalCost')} | ${of('healthCost')} | ${of('memory')} |`,
    );
  }
}
if (process.env['BENCH_FOLDER'] === undefined) rmSync(folder, { recursive: true });
