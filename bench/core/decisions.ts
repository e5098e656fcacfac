// What it takes to fit a decision at the size of Sewer-ML's validation split: `node bench/dist/core/decisions.js`. Each setting
// runs in a process of its own, since the largest resident size is that of a process.

import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { FitDecisionOptions } from '@anyclass/core';
import { type DecisionCost, decisionBench } from './decisionBench.js';

const SETTINGS: readonly (readonly [label: string, options: FitDecisionOptions])[] = [
  ['gate, guaranteed (the default)', {}],
  ['gate, plain budget', { budget: { falseAlarms: 0.05, confidence: null } }],
  ['gate, plain budget, κ 0', { budget: { falseAlarms: 0.05, confidence: null }, kappa: 0 }],
  ['gate, F1-Neg at 0.5', { budget: { f1Neg: 'at 0.5' } }],
  ['shared', { rule: 'shared' }],
];

const [setting] = process.argv.slice(2);
if (setting !== undefined) {
  console.log(JSON.stringify(decisionBench(130046, 17, SETTINGS[Number(setting)]![1])));
} else {
  console.log('| a decision for 130,046x17 | processor time, s | memory beyond the input, times the input |');
  console.log('|---|---|---|');
  SETTINGS.forEach(([label], k) => {
    const output = execFileSync(process.execPath, [fileURLToPath(import.meta.url), String(k)], {
      encoding: 'utf8',
    });
    const { seconds, megabytes, inputMegabytes }: DecisionCost = JSON.parse(output);
    console.log(`| ${label} | ${seconds.toFixed(2)} | ${(megabytes / inputMegabytes).toFixed(1)} |`);
  });
}
