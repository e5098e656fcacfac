// npm run test:hostile -- [REQUESTS] [SEED] [MINUTES]: a server under a stream of hostile requests, image bombs and slow clients. Prints
// what it got and what it took; goes on until the minutes are over, if they are given; exits with 1 if the server ended, refused an ordinary client, or took too much memory.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nn, setSeed } from '@anyclass/torch';
import sharp from 'sharp';
import { exportNetwork } from '../../dist/index.js';
import { fixedDecision } from '../../dist/inference/modelDecision.js';
import { attackServer } from './attackServer.mjs';
import { failuresOf, twelfths } from './limits.mjs';

const [requests = 100_000, seed = 1, minutes = 0] = process.argv.slice(2).map(Number);
const folder = mkdtempSync(join(tmpdir(), 'anyclass-hostile-'));
const model = join(folder, 'model.onnx');

class SmallNetwork extends nn.Module {
  conv = new nn.Conv2d(3, 16, { kernel: 4, stride: 4 });
  fc = new nn.Linear(16 * 64, 2);

  /** @param {import('@anyclass/torch').Tensor} images */
  forward(images) {
    return this.fc.forward(this.conv.forward(images).relu().flatten(1));
  }
}

try {
  setSeed(1);
  const classes = ['crack', 'roots'];
  await exportNetwork(new SmallNetwork(), {
    description: { classes, channels: 3, mean: [0.5], std: [0.25], decision: fixedDecision(classes, 0.3) },
    inputSize: 32,
    out: model,
  });
  const picture = await sharp(Buffer.alloc(48 * 48 * 3, 90), { raw: { width: 48, height: 48, channels: 3 } })
    .jpeg()
    .toBuffer();
  const start = performance.now();
  const result = await attackServer({ model, picture, requests, seed, minutes });
  const { sent, statuses, asked, refused, megabytes, decoderMegabytes, curve } = result;
  console.log(`${sent} requests with seed ${seed} in ${((performance.now() - start) / 1000).toFixed(0)} s`);
  console.log(
    `answers: ${Object.entries(statuses)
      .map(([status, count]) => `${status} ${count}`)
      .join(', ')}`,
  );
  console.log(
    `ordinary requests: ${asked}, of which not answered: ${refused.length} ${refused.slice(0, 5).join('; ')}`,
  );
  console.log(
    `memory: ${megabytes} MB, decoders ${decoderMegabytes} MB; over time, medians of twelfths: ${twelfths(curve).join(', ')}`,
  );
  console.log(
    `longest time that the main thread was busy: ${result.blockedMilliseconds} ms; of an idle server beside it: ${result.idleMilliseconds} ms`,
  );
  const failures = failuresOf(result);
  for (const failure of failures) console.log(`FAILED  ${failure}`);
  process.exitCode = failures.length > 0 ? 1 : 0;
} finally {
  rmSync(folder, { recursive: true });
}
