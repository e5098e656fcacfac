// Trains a two-layer network by hand for 20,000 steps, and reports how resident memory grew after the first 2,000.

import { liveTensors, noGrad, randn, setSeed, type Tensor, tidy } from '@anyclass/torch';

const steps = 20_000;
const settled = 2_000;
const rate = 0.05;

setSeed(0);
const inputs = randn([32, 16]);
const targets = inputs.sum([1], true).tanh();
const weights = [randn([16, 32]).mul(0.2), randn([32, 1]).mul(0.2)];
for (const weight of weights) weight.requiresGrad = true;
const [hidden, output] = weights;

const first = step();
let resident = 0;
let last = first;
for (let i = 1; i < steps; i++) {
  last = step();
  if (i === settled) resident = process.memoryUsage.rss();
  if (i % 100 === 0) await new Promise((resolve) => setImmediate(resolve));
}
const report = { first, last, growth: process.memoryUsage.rss() - resident, live: liveTensors() };
process.stdout.write(JSON.stringify(report));

function step(): number {
  return tidy(() => {
    const loss = predict().sub(targets).square().mean(null);
    loss.backward();
    noGrad(() => weights.forEach(descend));
    return loss.toNumber();
  });
}

function predict(): Tensor {
  if (!hidden || !output) throw new Error('no weights');
  return inputs.matmul(hidden).relu().matmul(output);
}

function descend(weight: Tensor): void {
  const gradient = weight.grad;
  if (!gradient) throw new Error('no gradient');
  weight.add_(gradient, { alpha: -rate });
  weight.grad = null;
}
