// npm run bench:serving -- [SECONDS] [ROUNDS] [small|large] [throughput|latency|overload]: `anyclass serve` beside FastAPI with the same batching rule, on loopback and the same cores.
// Everything takes about five minutes, and ends with a table of targets. A model that is named is also measured with libtorch, or beside a server that does nothing.
// PEER_PYTHON names the Python with fastapi, uvicorn, uvloop, httptools, onnxruntime and Pillow.

import { spawnSync } from 'node:child_process';
import { linkSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openPredictor } from 'anyclass';
import {
  type Measured,
  type MeasuredServer,
  nothing,
  ours,
  peer,
  predictLoad,
  probeLiveness,
  processorTime,
  quantile,
  refusing,
} from './load.js';
import { largeModel, type MeasuredModel, smallModel } from './models.js';

const seconds = Number(process.argv[2] ?? 5);
const rounds = Number(process.argv[3] ?? 2);
const folder = process.env['BENCH_FOLDER'] ?? mkdtempSync(join(tmpdir(), 'anyclass-serving-'));
const targets: Target[] = [];
let port = 18_080;

const [wantedModel, wantedPart] = process.argv.slice(4);
const models = [
  ...(wantedModel === 'large' ? [] : [await smallModel(folder)]),
  ...(wantedModel === 'small' ? [] : [await largeModel(folder)]),
];
for (const model of models) {
  console.log(`\n## ${model.name}, pictures of ${(model.picture.length / 1024).toFixed(0)} KB`);
  for (const part of [throughput, latency, overload])
    if (wantedPart === undefined || wantedPart === part.name) await part(model);
}
printTargets();
if (process.env['BENCH_FOLDER'] === undefined) rmSync(folder, { recursive: true });

/** A line of the table at the end. */
interface Target {
  readonly model: string;
  readonly what: string;
  readonly measured: number;
  /** The least or the most that it should be. */
  readonly least?: number;
  readonly most?: number;
  readonly unit?: string;
}

function printTargets(): void {
  console.log('\n| model | | measured | target | |\n|---|---|---|---|---|');
  for (const { model, what, measured, least, most, unit = '' } of targets) {
    const isMet = least === undefined ? measured <= most! : measured >= least;
    const target = least === undefined ? `≤ ${most}${unit}` : `≥ ${least}${unit}`;
    console.log(
      `| ${model} | ${what} | ${measured.toFixed(2)}${unit} | ${target} | ${isMet ? 'met' : '**missed**'} |`,
    );
  }
}

/** 32 clients, ours and the peer in turns, beside `anyclass predict` on as many files. */
async function throughput(model: MeasuredModel): Promise<void> {
  const sides = [
    { name: 'anyclass serve, ONNX', start: () => ours('ours', model.onnx, port++) },
    ...(model.safetensors === undefined || wantedModel === undefined
      ? []
      : [{ name: 'anyclass serve, libtorch', start: () => ours('ours', model.safetensors!, port++) }]),
    { name: 'FastAPI, ONNX', start: () => peer(model, port++) },
    // What the client takes itself, and Node's HTTP.
    ...(model.name === 'small' && wantedModel !== undefined
      ? [{ name: 'nothing but HTTP', start: () => nothing(port++) }]
      : []),
  ];
  const best = new Map<string, Measured>();
  const liveness: number[] = [];
  const predicted: number[] = [];
  for (let round = 0; round < rounds; round++) {
    for (const { name, start } of sides) {
      await using server = await start();
      await predictLoad(server.url, model, { connections: 32, seconds: Math.min(5, seconds / 2) });
      const before = processorTime(server.pid);
      const [measured, live] = await Promise.all([
        predictLoad(server.url, model, { connections: 32, seconds }),
        probeLiveness(server.url, seconds),
      ]);
      const { goodput, answers, p50, p99, processor, failures } = measured;
      console.log(
        `round ${round + 1}, ${name}: ${goodput.toFixed(1)}/s, p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms, ` +
          `processor ${((processorTime(server.pid) - before) / answers).toFixed(3)} ms a request (client ${(processor / answers).toFixed(3)}), ` +
          `${failures} failures, /health/live p50 ${live.p50.toFixed(1)}, p99 ${live.p99.toFixed(1)} ms of ${live.answers}`,
      );
      if (name === 'anyclass serve, ONNX') liveness.push(live.p99);
      if (goodput > (best.get(name)?.goodput ?? 0)) best.set(name, measured);
    }
    predicted.push(
      predictRate(model, Math.min(20_000, Math.ceil(seconds * best.get('anyclass serve, ONNX')!.goodput))),
    );
    console.log(`round ${round + 1}, anyclass predict, ONNX: ${predicted.at(-1)?.toFixed(1)}/s`);
  }
  const own = best.get('anyclass serve, ONNX')!.goodput;
  targets.push(
    {
      model: model.name,
      what: '32 clients: requests/s over those of FastAPI',
      measured: own / best.get('FastAPI, ONNX')!.goodput,
      least: model.name === 'small' ? 1.3 : 1,
    },
    {
      model: model.name,
      what: '32 clients: requests/s over images/s of predict',
      measured: own / Math.max(...predicted),
      least: 0.95,
    },
    {
      model: model.name,
      what: '32 clients: p99 of /health/live, best round',
      measured: Math.min(...liveness),
      most: 10,
      unit: ' ms',
    },
  );
  console.log(
    `best: ours ${own.toFixed(1)}/s, FastAPI ${best.get('FastAPI, ONNX')!.goodput.toFixed(1)}/s, ` +
      `ratio ${(own / best.get('FastAPI, ONNX')!.goodput).toFixed(2)}; predict ${Math.max(...predicted).toFixed(1)}/s, ratio ${(own / Math.max(...predicted)).toFixed(2)}`,
  );
}

/** Images per second of the command, its start left out: the difference of many and few files. */
function predictRate(model: MeasuredModel, count: number): number {
  const program = new URL('../../../packages/anyclass/bin/anyclass.js', import.meta.url).pathname;
  const timed = (images: number) => {
    const files = join(folder, `files-${images}`);
    mkdirSync(files, { recursive: true });
    for (let i = 0; i < images; i++) linkSync(model.pictureFile, join(files, `${i}.jpg`));
    const start = performance.now();
    const { status } = spawnSync(process.execPath, [program, 'predict', model.onnx, files], {
      stdio: 'ignore',
    });
    const took = (performance.now() - start) / 1000;
    if (status !== 0) throw new Error('anyclass predict failed');
    rmSync(files, { recursive: true });
    return took;
  };
  const few = 32;
  return (count - few) / (timed(count) - timed(few));
}

/** One client beside decoding and the model alone, in this process, before and after it: the machine may change meanwhile. */
async function latency(model: MeasuredModel): Promise<void> {
  for (const start of [() => ours('ours', model.onnx, port++), () => peer(model, port++)]) {
    const before = await timeAlone(model);
    const { name, p50, p99 } = await oneClient(model, start);
    const alone = (before + (await timeAlone(model))) / 2;
    console.log(
      `one client, ${name}: p50 ${p50.toFixed(2)} ms, p99 ${p99.toFixed(2)} ms; decode and model alone ${alone.toFixed(2)} ms, difference ${(p50 - alone).toFixed(2)} ms`,
    );
    if (name !== 'ours') continue;
    targets.push({
      model: model.name,
      what: 'one client: p50 more than decoding and model alone',
      measured: p50 - alone,
      most: 2,
      unit: ' ms',
    });
  }
}

async function oneClient(model: MeasuredModel, start: () => Promise<MeasuredServer>) {
  await using server = await start();
  await predictLoad(server.url, model, { connections: 1, seconds: 2 });
  const { p50, p99 } = await predictLoad(server.url, model, { connections: 1, seconds });
  return { name: server.name, p50, p99 };
}

/** Milliseconds of decoding and the model in this process, the median. */
async function timeAlone(model: MeasuredModel): Promise<number> {
  using predictor = await openPredictor(model.onnx, { batchSize: 1, spins: false });
  const times: number[] = [];
  for (let i = 0; i < 30; i++) {
    const start = performance.now();
    await predictor.predictOne(model.picture);
    times.push(performance.now() - start);
  }
  return quantile(
    times.sort((a, b) => a - b),
    0.5,
  );
}

/** Three times as many requests as can be answered, at even distances. */
async function overload(model: MeasuredModel): Promise<void> {
  await using server = await ours('ours', model.onnx, port++, ['--queue', '64']);
  await predictLoad(server.url, model, { connections: 32, seconds: 2 });
  const peakLoad = () => predictLoad(server.url, model, { connections: 48, seconds });
  const before = (await peakLoad()).goodput;
  const rate = Math.ceil(3 * before);
  const processorBefore = processorTime(server.pid);
  // The lone requests of another client, where the first one is busy: what it measures is its own event loop, too.
  const isFast = rate > 200;
  const [flood, live, lone] = await Promise.all([
    predictLoad(server.url, model, { connections: 256, seconds, rate }),
    probeLiveness(server.url, seconds),
    isFast ? predictLoad(server.url, model, { connections: 16, seconds, rate: 50 }) : undefined,
  ]);
  const spent = processorTime(server.pid) - processorBefore;
  // Again after it, and the better one counts: where others use the machine, it may be another one meanwhile.
  const peak = Math.max(before, (await peakLoad()).goodput);
  const { rejections, rejectionP50, rejectionP99 } = lone ?? flood;
  const requests = flood.answers + flood.rejections;
  targets.push(
    {
      model: model.name,
      what: '3 times the capacity: goodput of the peak',
      measured: (100 * flood.goodput) / peak,
      least: 95,
      unit: '%',
    },
    {
      model: model.name,
      what: '3 times the capacity: p50 of rejections',
      measured: rejectionP50,
      most: 5,
      unit: ' ms',
    },
    {
      model: model.name,
      what: '3 times the capacity: p99 of rejections',
      measured: rejectionP99,
      most: 5,
      unit: ' ms',
    },
  );
  console.log(
    `overload, ${rate}/s: ${flood.goodput.toFixed(1)}/s of ${peak.toFixed(1)}/s at peak (${((100 * flood.goodput) / peak).toFixed(0)}%; peak before ${before.toFixed(1)}/s), ` +
      `${flood.rejections} rejections, p50 ${rejectionP50?.toFixed(1)} ms, p99 ${rejectionP99?.toFixed(1)} ms (of ${rejections}), ` +
      `${flood.failures} failures, ${flood.unsent} not sent; processor ${(spent / requests).toFixed(3)} ms a request ` +
      `(client ${(flood.processor / requests).toFixed(3)}), /health/live p99 ${live.p99?.toFixed(1)} ms`,
  );
  if (isFast) await refusals(model, rate);
}

/** The same flood on a server that does nothing but refuse. */
async function refusals(model: MeasuredModel, rate: number): Promise<void> {
  await using server = await refusing(port++);
  const before = processorTime(server.pid);
  const { rejections, rejectionP50, rejectionP99, unsent, processor } = await predictLoad(server.url, model, {
    connections: 256,
    seconds,
    rate,
  });
  console.log(
    `a server that only refuses: ${(rejections / seconds).toFixed(0)}/s of ${rate}/s, p50 ${rejectionP50.toFixed(1)} ms, p99 ${rejectionP99.toFixed(1)} ms, ` +
      `${unsent} not sent; processor ${((processorTime(server.pid) - before) / rejections).toFixed(3)} ms a refusal (client ${(processor / rejections).toFixed(3)})`,
  );
}
