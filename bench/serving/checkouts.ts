// node bench/dist/serving/checkouts.js ROOT ROOT… [--model small|large] [--seconds 5] [--rounds 3]: the servers of two or more built checkouts beside each other,
// for example before and after a change. Prints medians of rounds that alternate.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { median } from '../measure/timing.js';
import { clientLoad, mostMemory, ours, predictLoad, processorTime } from './load.js';
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

async function measure(root: string, model: MeasuredModel): Promise<Row> {
  await using server = await ours('ours', model.onnx, port++, [], root);
  const spent = async (work: () => Promise<{ readonly answers: number; readonly rejections: number }>) => {
    const before = processorTime(server.pid);
    const { answers, rejections } = await work();
    return (1000 * (processorTime(server.pid) - before)) / (answers + rejections);
  };
  await predictLoad(server.url, model, { connections: 32, seconds: 2 });
  let goodput = 0;
  const answerCost = await spent(async () => {
    const measured = await predictLoad(server.url, model, { connections: 32, seconds });
    goodput = measured.goodput;
    return measured;
  });
  const healthCost = await spent(() =>
    clientLoad(`${server.url}/health/live`, { connections: 8, seconds: seconds / 2 }),
  );
  const memory = mostMemory(server.pid);
  // One place in the queue, so that nearly every request is refused.
  await using full = await ours('ours', model.onnx, port++, ['--queue', '1', '--max-batch', '1'], root);
  const before = processorTime(full.pid);
  const flood = await predictLoad(full.url, model, { connections: 64, seconds: seconds / 2 });
  const took = 1000 * (processorTime(full.pid) - before) - flood.answers * answerCost;
  return { answers: goodput, answerCost, refusalCost: took / flood.rejections, healthCost, memory };
}

const models = [
  ...(values.model === 'large' ? [] : [await smallModel(folder)]),
  ...(values.model === 'small' ? [] : [await largeModel(folder)]),
];
for (const model of models) {
  const rows = new Map<string, Row[]>(positionals.map((root) => [resolve(root), []]));
  for (let round = 0; round < Number(values.rounds); round++)
    for (const [root, measured] of rows) measured.push(await measure(root, model));
  console.log(
    `\n| ${model.name} | answers/s | CPU per answer, µs | per refusal | per /health/live | memory, MB |\n|---|---|---|---|---|---|`,
  );
  for (const [root, measured] of rows) {
    const of = (field: keyof Row) => median(measured.map((row) => row[field])).toFixed(0);
    console.log(
      `| ${basename(root)} | ${of('answers')} | ${of('answerCost')} | ${of('refusalCost')} | ${of('healthCost')} | ${of('memory')} |`,
    );
  }
}
if (process.env['BENCH_FOLDER'] === undefined) rmSync(folder, { recursive: true });
