// npm run test:hostile -- [REQUESTS] [SEED] [MINUTES]: a server under a stream of hostile requests, image bombs and slow clients. Prints
// what it got and what it took; goes on until the minutes are over, if they are given; exits with 1 if the server ended, refused an ordinary client, or took too much memory.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { attackServer } from './attackServer.mjs';
import { failuresOf, twelfths } from './limits.mjs';
import { exportSmallModel } from './smallModel.mjs';

const [requests = 100_000, seed = 1, minutes = 0] = process.argv.slice(2).map(Number);
const folder = mkdtempSync(join(tmpdir(), 'anyclass-hostile-'));

try {
  const model = await exportSmallModel(folder);
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
