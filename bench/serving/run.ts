// npm run bench:serving -- [SECONDS] [ROUNDS] [small|large] [throughput|latency|overload]: `anyclass serve` against FastAPI with the same batching rule, on loopback and the same cores.
// Everything takes about ten minutes and ends with a table of targets. A model named on the command line is also measured with libtorch, or against a server that does nothing.
// PEER_PYTHON names the Python with fastapi, uvicorn, uvloop, httptools, onnxruntime and Pillow.

import { spawnSync } from 'node:child_process';
import { linkSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openPredictor } from 'anyclass';
import { median } from '../measure/timing.js';
import {
  type Measured,
  nothing,
  ours,
  peer,
  predictLoad,
  probeLiveness,
  processorTime,
  refusing,
} from './load.js';
import { largeModel, type MeasuredModel, smallModel } from './models.js';

const seconds = Number(process.argv[2] ?? 5);
const rounds = Number(process.argv[3] ?? 2);
const folder = process.env['BENCH_FOLDER'] ?? mkdtempSync(join(tmpdir(), 'anyclass-serving-'));
const targets: Target[] = [];
/** A slow model takes seconds per batch, so it needs a longer window. */
const windowOf = (model: MeasuredModel) => (model.name === 'small' ? seconds : 3 * seconds);
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

/** A row of the final table. */
interface Target {
  readonly model: string;
  readonly what: string;
  readonly measured: number;
  /** The lower or upper limit. */
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

/** 32 clients, ours and the peer alternating, and `anyclass predict` on as many files. */
async function throughput(model: MeasuredModel): Promise<void> {
  const sides = [
    { name: 'anyclass serve, ONNX', start: () => ours('ours', model.onnx, port++) },
    ...(model.safetensors === undefined || wantedModel === undefined
      ? []
      : [{ name: 'anyclass serve, libtorch', start: () => ours('ours', model.safetensors!, port++) }]),
    { name: 'FastAPI, ONNX', start: () => peer(model, port++) },
    // The cost of the client itself and of Node's HTTP.
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
      const measured = await predictLoad(server.url, model, { connections: 32, seconds: windowOf(model) });
      const spent = processorTime(server.pid) - before;
      // The probe uses the cores too, so it is measured under a separate load.
      const [live] = await Promise.all([
        probeLiveness(server.url, seconds),
        predictLoad(server.url, model, { connections: 32, seconds }),
      ]);
      const { goodput, answers, p50, p99, processor, failures } = measured;
      console.log(
        `round ${round + 1}, ${name}: ${goodput.toFixed(1)}/s, p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms, ` +
          `CPU ${(spent / answers).toFixed(3)} ms per request (client ${(processor / answers).toFixed(3)}), ` +
          `${failures} failures, /health/live p50 ${live.p50.toFixed(1)}, p99 ${live.p99.toFixed(1)} ms of ${live.answers}`,
      );
      if (name === 'anyclass serve, ONNX') liveness.push(live.p99);
      if (goodput > (best.get(name)?.goodput ?? 0)) best.set(name, measured);
    }
    predicted.push(
      predictRate(
        model,
        Math.min(20_000, Math.ceil(windowOf(model) * best.get('anyclass serve, ONNX')!.goodput)),
      ),
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

/** Images per second of the command without its startup: the difference between many and few files. */
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

/** One client, alternating with decoding and the model alone in this process, since the machine's speed may change. */
async function latency(model: MeasuredModel): Promise<void> {
  for (const start of [() => ours('ours', model.onnx, port++), () => peer(model, port++)]) {
    await using server = await start();
    await predictLoad(server.url, model, { connections: 1, seconds: 2 });
    const alone: number[] = [];
    const served: number[] = [];
    for (let turn = 0; turn < 5; turn++) {
      alone.push(await timeAlone(model));
      served.push((await predictLoad(server.url, model, { connections: 1, seconds: seconds / 2 })).p50);
    }
    const list = (times: number[]) => times.map((time) => time.toFixed(2)).join(', ');
    const difference = median(served) - median(alone);
    console.log(
      `one client, ${server.name}: p50 ${list(served)} ms; decode and model alone ${list(alone)} ms; difference of the medians ${difference.toFixed(2)} ms`,
    );
    if (server.name !== 'ours') continue;
    targets.push({
      model: model.name,
      what: 'one client: p50 above decoding and model alone',
      measured: difference,
      most: 2,
      unit: ' ms',
    });
  }
}

/** Median milliseconds for decoding and the model in this process. */
async function timeAlone(model: MeasuredModel): Promise<number> {
  using predictor = await openPredictor(model.onnx, { batchSize: 1, spins: false });
  const times: number[] = [];
  for (let i = 0; i < 20; i++) {
    const start = performance.now();
    await predictor.predictOne(model.picture);
    times.push(performance.now() - start);
  }
  return median(times);
}

/** Three times as many requests as can be answered, evenly spaced. */
async function overload(model: MeasuredModel): Promise<void> {
  await using server = await ours('ours', model.onnx, port++, ['--queue', '64']);
  await predictLoad(server.url, model, { connections: 32, seconds: 2 });
  const window = windowOf(model);
  const peakLoad = async () =>
    (await predictLoad(server.url, model, { connections: 48, seconds: window })).goodput;
  let before = await peakLoad();
  const rate = Math.ceil(3 * before);
  // Single requests from another client: a busy client would also measure its own event loop.
  const isFast = rate > 200;
  const turns = [];
  for (let turn = 0; turn < rounds; turn++) {
    const processorBefore = processorTime(server.pid);
    const [flood, lone] = await Promise.all([
      predictLoad(server.url, model, { connections: 256, seconds: window, rate }),
      isFast ? predictLoad(server.url, model, { connections: 16, seconds: window, rate: 50 }) : undefined,
    ]);
    const spent = processorTime(server.pid) - processorBefore;
    // Relative to the peaks before and after it, since other load may change the machine's speed meanwhile.
    const after = await peakLoad();
    const share = (100 * flood.goodput) / ((before + after) / 2);
    const { rejections, rejectionP50, rejectionP99 } = lone ?? flood;
    const requests = flood.answers + flood.rejections;
    console.log(
      `overload, ${rate}/s: ${flood.goodput.toFixed(1)}/s, ${share.toFixed(0)}% of the peaks before and after it (${before.toFixed(1)} and ${after.toFixed(1)}/s), ` +
        `${flood.rejections} rejections, p50 ${rejectionP50.toFixed(1)} ms, p99 ${rejectionP99.toFixed(1)} ms (of ${rejections}), ` +
        `${flood.failures} failures, ${flood.unsent} not sent; CPU ${(spent / requests).toFixed(3)} ms per request ` +
        `(client ${(flood.processor / requests).toFixed(3)})`,
    );
    turns.push({ share, rejectionP50, rejectionP99 });
    before = after;
  }
  const measured = [
    ['share', 'goodput relative to the peak', { least: 95, unit: '%' }],
    ['rejectionP50', 'p50 of rejections', { most: 5, unit: ' ms' }],
    ['rejectionP99', 'p99 of rejections', { most: 5, unit: ' ms' }],
  ] as const;
  for (const [result, what, target] of measured)
    targets.push({
      model: model.name,
      what: `3 times the capacity: ${what}, mean of ${rounds}`,
      measured: turns.reduce((sum, turn) => sum + turn[result], 0) / rounds,
      ...target,
    });
  if (isFast) await refusals(model, rate);
}

/** The same flood on a server that only refuses. */
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
      `${unsent} not sent; CPU ${((processorTime(server.pid) - before) / rejections).toFixed(3)} ms per refusal (client ${(processor / rejections).toFixed(3)})`,
  );
}
