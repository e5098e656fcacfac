// The cost of fitting a decision at the size of Sewer-ML's validation split, and of bootstrapping two models with refitted decisions:
// `node bench/dist/core/decisions.js`. Each run has its own process, since peak resident memory is measured per process.

import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { FitDecisionOptions } from '@anyclass/core';
import { median } from '../measure/timing.js';
import { type DecisionCost, decisionBench, replicateSeconds } from './decisionBench.js';

const RUNS = 5;
const plain = { falseAlarms: 0.05, confidence: null };
const SETTINGS: readonly (readonly [label: string, options: FitDecisionOptions])[] = [
  ['gate, guaranteed (the default)', {}],
  ['gate, plain budget', { budget: plain }],
  ['gate, plain budget, κ 0', { budget: plain, kappa: 0 }],
  ['gate, F1-Neg at 0.5', { budget: { f1Neg: 'at 0.5' } }],
  ['shared', { rule: 'shared' }],
];

const [setting, rows] = process.argv.slice(2);
if (setting !== undefined) {
  console.log(JSON.stringify(decisionBench(Number(rows), 17, SETTINGS[Number(setting)]![1])));
} else {
  console.log(`Medians of ${RUNS} runs (lowest to highest)\n`);
  console.log('| decision | rows x 17 | CPU time, s | growth of resident memory, times the input |');
  console.log('|---|---|---|---|');
  SETTINGS.forEach(([label], k) => {
    for (const count of [130046, 520184]) {
      const costs = Array.from({ length: RUNS }, () => costOf(k, count));
      const seconds = spread(costs.map((cost) => cost.seconds));
      const memory = spread(costs.map((cost) => cost.megabytes / cost.inputMegabytes));
      console.log(`| ${label} | ${count.toLocaleString('en-US')} | ${seconds} | ${memory} |`);
    }
  });
  console.log('\n| one replicate, two models | guaranteed, s | plain budget, s |');
  console.log('|---|---|---|');
  for (const [count, classes] of [
    [130046, 17],
    [16500, 10],
  ] as const) {
    const seconds = [{}, { budget: plain }].map((options) => replicateSeconds(count, classes, options, 20));
    const cells = seconds.map((each) => each.toFixed(3)).join(' | ');
    console.log(`| ${count.toLocaleString('en-US')}x${classes} | ${cells} |`);
  }
}

function costOf(index: number, count: number): DecisionCost {
  const script = fileURLToPath(import.meta.url);
  return JSON.parse(
    execFileSync(process.execPath, [script, String(index), String(count)], { encoding: 'utf8' }),
  );
}

function spread(values: readonly number[]): string {
  const [middle, lowest, highest] = [median(values), Math.min(...values), Math.max(...values)];
  return `${middle.toFixed(2)} (${lowest.toFixed(2)} to ${highest.toFixed(2)})`;
}
