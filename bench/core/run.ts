// Core's speed, measured against its peers: `npm run bench:core`.

import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import path from 'node:path';
import { averagePrecisionBench } from './averagePrecisionBench.js';
import { bootstrapBench } from './bootstrapBench.js';
import { lossBench } from './lossBench.js';
import { surfacesBench } from './surfacesBench.js';
import { ratios } from './timing.js';

const folder = mkdtempSync(path.join(tmpdir(), 'anyclass-bench-'));
try {
  const processor = cpus()[0]?.model ?? 'unknown processor';
  console.log(`Node ${process.version}, ${processor}, load ${loadavg()[0]!.toFixed(1)}, one thread each\n`);
  printLosses();
  printAveragePrecision();
  printSurfaces();
  const seconds = bootstrapBench(18493, 41, 1000);
  console.log(`\n1,000 bootstrap replicates of all metrics at 18,493x41: ${seconds.toFixed(1)} s`);
} finally {
  rmSync(folder, { recursive: true });
}

function printLosses(): void {
  console.log(
    '| loss with gradient, float32 | core, ns/element | PyTorch eager | times faster | by fastest runs |',
  );
  console.log('|---|---|---|---|---|');
  for (const [rows, classes] of [
    [256, 17],
    [4096, 41],
  ] as const) {
    for (const base of ['bce', 'focal', 'asl'] as const) {
      const comparison = lossBench(rows, classes, base, folder);
      const perElement = (seconds: number) => ((seconds * 1e9) / (rows * classes)).toFixed(1);
      const medians = `${perElement(comparison.ours)} | ${perElement(comparison.peer)}`;
      console.log(`| ${base}, ${rows}x${classes} | ${medians} | ${ratios(comparison)} |`);
    }
  }
}

function printAveragePrecision(): void {
  console.log(
    '\n| mAP of 130,046x17 | core (all metrics), ms | peer (mAP) | times faster | by fastest runs |',
  );
  console.log('|---|---|---|---|---|');
  for (const peer of ['scikit-learn', 'per-sample loop'] as const) {
    const comparison = averagePrecisionBench(peer, 130046, 17, folder);
    const milliseconds = (seconds: number) => (seconds * 1e3).toFixed(0);
    const medians = `${milliseconds(comparison.ours)} | ${milliseconds(comparison.peer)}`;
    console.log(`| ${peer} | ${medians} | ${ratios(comparison)} |`);
  }
}

function printSurfaces(): void {
  console.log('\n| twelve surfaces of 200x200 | core, ms | numpy | times faster | by fastest runs |');
  console.log('|---|---|---|---|---|');
  for (const gamma of [0, 2]) {
    const comparison = surfacesBench(gamma);
    const milliseconds = (seconds: number) => (seconds * 1e3).toFixed(1);
    const medians = `${milliseconds(comparison.ours)} | ${milliseconds(comparison.peer)}`;
    console.log(`| γ ${gamma} | ${medians} | ${ratios(comparison)} |`);
  }
}
