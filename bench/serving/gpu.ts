// TResNet-L at 224 px on a GPU: images per second that `anyclass serve` answers from JPEG bytes, against the bare captured step.
// Several client processes send requests, since one cannot keep the server busy.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hasCuda } from '@anyclass/torch';
import { bareRate } from '../gpu/bareRate.js';
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
