// TResNet-L at 224 px on a GPU: images per second that `anyclass serve` answers from JPEG bytes, against the bare captured step.
// Several client processes send requests, since one cannot keep the server busy.

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
import { ours, predictLoad, probeLiveness } from './load.js';
import { photographOf } from './models.js';

const seconds = Number(process.argv[2] ?? 20);
const clients = 6;
const folder = mkdtempSync(join(tmpdir(), 'anyclass-serving-'));
const picture = await photographOf(folder, 500, 375);
if (!hasCuda()) console.log('skipped: no CUDA here');
else for (const batch of [32, 64, 128]) await measure(batch);
rmSync(folder, { recursive: true });

async function measure(batch: number): Promise<void> {
  const model = join(folder, 'tresnet-l.safetensors');
  const bare = bareRate(model, batch);
  await using server = await ours('ours', model, 18_080 + batch, [
    ...['--device', 'cuda', '--max-batch', String(batch), '--queue', '1024'],
  ]);
  await predictLoad(server.url, picture, { connections: 32, seconds: 3 });
  const [live, ...found] = await Promise.all([
    probeLiveness(server.url, seconds),
    ...Array.from({ length: clients }, () => predictLoad(server.url, picture, { connections: 48, seconds })),
  ]);
  const rate = found.reduce((sum, { goodput }) => sum + goodput, 0);
  const failures = found.reduce((sum, each) => sum + each.failures, 0);
  console.log(
    `batch ${batch}: serving ${rate.toFixed(0)} images/s, captured step ${bare.toFixed(0)} images/s, ratio ${(rate / bare).toFixed(2)}; ` +
      `p50 ${Math.max(...found.map(({ p50 }) => p50)).toFixed(0)} ms, p99 ${Math.max(...found.map(({ p99 }) => p99)).toFixed(0)} ms, ` +
      `/health/live p99 ${live.p99.toFixed(1)} ms, ${failures} failures`,
  );
}

/** Forward passes alone, in bfloat16 as in the server, from images already on the GPU. */
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
