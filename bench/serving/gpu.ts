// TResNet-L at 224 px on a GPU: images per second that `anyclass serve` answers from JPEG bytes, beside the bare captured step.
// Several client processes send, since one cannot keep the server busy.

import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  autocast,
  captureStep,
  cudaSynchronize,
  hasCuda,
  noGrad,
  randn,
  setSeed,
  type Tensor,
  tidy,
} from '@anyclass/torch';
import { createNetwork } from 'anyclass/networks';
import { saveModel } from 'anyclass/runs';
import { livenessDuring, ours, predictLoad, quantile } from './load.js';
import { photographOf } from './models.js';

const [seconds, clientUrl] = [Number(process.argv[2] ?? 20), process.argv[3]];
const clients = 6;
const folder = mkdtempSync(join(tmpdir(), 'anyclass-serving-'));
const picture = await photographOf(folder, 500, 375);
if (clientUrl !== undefined) {
  const { goodput, p50, p99, failures } = await predictLoad(clientUrl, picture, { connections: 48, seconds });
  console.log(JSON.stringify({ goodput, p50, p99, failures }));
} else if (!hasCuda()) {
  console.log('skipped: no CUDA here');
} else {
  for (const batch of [32, 64, 128]) await measure(batch);
}
rmSync(folder, { recursive: true });

async function measure(batch: number): Promise<void> {
  const model = join(folder, 'tresnet-l.safetensors');
  const bare = bareRate(model, batch);
  await using server = await ours('ours', model, 18_080 + batch, [
    ...['--device', 'cuda', '--max-batch', String(batch), '--queue', '1024'],
  ]);
  await predictLoad(server.url, picture, { connections: 32, seconds: 3 });
  const work = Promise.all(Array.from({ length: clients }, () => client(server.url)));
  const live = await livenessDuring(server.url, work);
  const found = await work;
  const rate = found.reduce((sum, { goodput }) => sum + goodput, 0);
  const failures = found.reduce((sum, each) => sum + each.failures, 0);
  console.log(
    `batch ${batch}: serving ${rate.toFixed(0)} images/s, captured step ${bare.toFixed(0)} images/s, ratio ${(rate / bare).toFixed(2)}; ` +
      `p50 ${Math.max(...found.map(({ p50 }) => p50)).toFixed(0)} ms, p99 ${Math.max(...found.map(({ p99 }) => p99)).toFixed(0)} ms, ` +
      `/health/live p99 ${quantile(live, 0.99).toFixed(1)} ms, ${failures} failures`,
  );
}

interface ClientFigures {
  readonly goodput: number;
  readonly p50: number;
  readonly p99: number;
  readonly failures: number;
}

function client(url: string): Promise<ClientFigures> {
  return new Promise((done, fail) => {
    const program = process.argv[1] ?? '';
    const child = spawn(process.execPath, [program, String(seconds), url], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let text = '';
    child.stdout.on('data', (part) => {
      text += part;
    });
    child.once('exit', (code) => (code === 0 ? done(JSON.parse(text)) : fail(new Error('a client failed'))));
  });
}

/** Forward passes alone, in bfloat16 as the server computes, from images that are on the GPU already. */
function bareRate(path: string, batch: number): number {
  setSeed(1);
  using network = createNetwork('tresnet-l', { classes: 17, inputSize: 224 });
  const classes = Array.from({ length: 17 }, (_, i) => `class ${i}`);
  const description = { classes, channels: 3, mean: [0.5], std: [0.25], epoch: 1, loss: 'bce' } as const;
  saveModel(path, { network, description: { ...description, dataset: 'none' } });
  network.eval().requireGrad(false).to({ device: 'cuda', memoryFormat: 'channelsLast' });
  using images = randn([batch, 3, 224, 224], { device: 'cuda' }).to({ memoryFormat: 'channelsLast' });
  const forward = (input: Tensor) =>
    noGrad(() => autocast(() => network.forward(input), { device: 'cuda', dtype: 'bfloat16' }));
  const step = captureStep((input) => [forward(input!)]);
  const steps = 100;
  let start = 0;
  for (let i = -10; i < steps; i++) {
    if (i === 0) {
      cudaSynchronize();
      start = performance.now();
    }
    tidy(() => {
      step(images);
    });
  }
  cudaSynchronize();
  return (1000 * batch * steps) / (performance.now() - start);
}
