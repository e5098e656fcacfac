// npm run bench:serving -- [SECONDS] [ROUNDS] [small|large] [throughput|latency|overload]: `anyclass serve` beside FastAPI with the same batching rule, on loopback and the same cores.
// PEER_PYTHON names the Python with fastapi, uvicorn, uvloop, httptools, onnxruntime and Pillow.

import { spawnSync } from 'node:child_process';
import { linkSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openPredictor } from 'anyclass';
import {
  type Measured,
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

const seconds = Number(process.argv[2] ?? 8);
const rounds = Number(process.argv[3] ?? 3);
const folder = process.env['BENCH_FOLDER'] ?? mkdtempSync(join(tmpdir(), 'anyclass-serving-'));
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
if (process.env['BENCH_FOLDER'] === undefined) rmSync(folder, { recursive: true });

/** 32 clients, ours and the peer in turns, beside `anyclass predict` on as many files. */
async function throughput(model: MeasuredModel): Promise<void> {
  const sides = [
    { name: 'anyclass serve, ONNX', start: () => ours('ours', model.onnx, port++) },
    ...(model.safetensors === undefined
      ? []
      : [{ name: 'anyclass serve, libtorch', start: () => ours('ours', model.safetensors!, port++) }]),
    { name: 'FastAPI, ONNX', start: () => peer(model, port++) },
    // What the client takes itself, and Node's HTTP.
    ...(model.name === 'small' ? [{ name: 'nothing but HTTP', start: () => nothing(port++) }] : []),
  ];
  const best = new Map<string, Measured>();
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
      if (goodput > (best.get(name)?.goodput ?? 0)) best.set(name, measured);
    }
    predicted.push(
      predictRate(model, Math.min(20_000, Math.ceil(seconds * best.get('anyclass serve, ONNX')!.goodput))),
    );
    console.log(`round ${round + 1}, anyclass predict, ONNX: ${predicted.at(-1)?.toFixed(1)}/s`);
  }
  const own = best.get('anyclass serve, ONNX')!.goodput;
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

/** One client beside decoding and the model alone, in this process. */
async function latency(model: MeasuredModel): Promise<void> {
  const alone = await timeAlone(model, false);
  const spinning = await timeAlone(model, true);
  for (const start of [() => ours('ours', model.onnx, port++), () => peer(model, port++)]) {
    await using server = await start();
    await predictLoad(server.url, model, { connections: 1, seconds: 2 });
    const { p50, p99 } = await predictLoad(server.url, model, { connections: 1, seconds });
    console.log(
      `one client, ${server.name}: p50 ${p50.toFixed(2)} ms, p99 ${p99.toFixed(2)} ms; decode and model alone ${alone.toFixed(2)} ms, difference ${(p50 - alone).toFixed(2)} ms ` +
        `(${spinning.toFixed(2)} ms alone where onnxruntime's threads spin)`,
    );
  }
}

/** Milliseconds of decoding and the model in this process, the median. */
async function timeAlone(model: MeasuredModel, spins: boolean): Promise<number> {
  using predictor = await openPredictor(model.onnx, { batchSize: 1, spins });
  const times: number[] = [];
  for (let i = 0; i < 50; i++) {
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
  const peak = await predictLoad(server.url, model, { connections: 48, seconds });
  const rate = Math.ceil(3 * peak.goodput);
  const before = processorTime(server.pid);
  // The lone requests of another client, where the first one is busy: what it measures is its own event loop, too.
  const isFast = rate > 200;
  const [flood, live, lone] = await Promise.all([
    predictLoad(server.url, model, { connections: 256, seconds, rate }),
    probeLiveness(server.url, seconds),
    isFast ? predictLoad(server.url, model, { connections: 16, seconds, rate: 50 }) : undefined,
  ]);
  const { rejections, rejectionP50, rejectionP99 } = lone ?? flood;
  const requests = flood.answers + flood.rejections;
  console.log(
    `overload: ${flood.goodput.toFixed(1)}/s of ${peak.goodput.toFixed(1)}/s at peak (${((100 * flood.goodput) / peak.goodput).toFixed(0)}%), ` +
      `${flood.rejections} rejections, p50 ${rejectionP50?.toFixed(1)} ms, p99 ${rejectionP99?.toFixed(1)} ms (of ${rejections}), ` +
      `${flood.failures} failures, ${flood.unsent} not sent; processor ${((processorTime(server.pid) - before) / requests).toFixed(3)} ms a request ` +
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
