// What core promises about speed, measured beside its peers: `npm run bench:core`.

import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import path from 'node:path';
import { averagePrecisionBench } from './averagePrecisionBench.js';
import { bootstrapBench } from './bootstrapBench.js';
import { lossBench } from './lossBench.js';

const folder = mkdtempSync(path.join(tmpdir(), 'anyclass-bench-'));
try {
  console.log(
    `Node ${process.version}, ${cpus()[0]?.model ?? 'unknown processor'}, one thread each, medians\n`,
  );

  console.log(
    '| loss with gradient, float32 | core, ns/element | PyTorch eager, ns/element | times faster |',
  );
  console.log('|---|---|---|---|');
  for (const [rows, classes] of [
    [256, 17],
    [4096, 41],
  ] as const) {
    for (const base of ['bce', 'focal'] as const) {
      const timing = lossBench(rows, classes, base, folder);
      const nanoseconds = [timing.nanosecondsPerElement, timing.peerNanosecondsPerElement];
      console.log(
        `| ${[timing.name, ...nanoseconds.map((value) => value.toFixed(1)), timing.ratio.toFixed(1)].join(' | ')} |`,
      );
    }
  }

  console.log('\n| mAP of 130,046x17 | core (all metrics), ms | peer (mAP), ms | times faster |');
  console.log('|---|---|---|---|');
  for (const { name, seconds, peerSeconds, ratio } of averagePrecisionBench(130046, 17, folder)) {
    console.log(
      `| ${name} | ${(seconds * 1e3).toFixed(0)} | ${(peerSeconds * 1e3).toFixed(0)} | ${ratio.toFixed(1)} |`,
    );
  }

  const bootstrapSeconds = bootstrapBench(18493, 41, 1000);
  console.log(`\n1,000 bootstrap replicates of all metrics at 18,493x41: ${bootstrapSeconds.toFixed(1)} s`);
} finally {
  rmSync(folder, { recursive: true });
}
