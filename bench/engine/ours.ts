// Our side of bench:engine; prints what it measured as JSON.

import { keep, nn, optim, rand, randint, randn, setSeed, setThreadCount, tidy } from '@anyclass/torch';
import { peakMemory } from '../measure/memory.js';
import { medianTime } from '../measure/timing.js';
import { largeShapes, smallNetwork } from './networks.js';

setSeed(0);
setThreadCount(Number(process.env['THREADS'] ?? 2));

const measurements: Record<string, () => number> = {
  'call overhead': callOverhead,
  'matmul 1024³': matmul,
  'convolution, forward and backward': convolution,
  'CNN training step, batch 64': () => trainingStep(64),
  'AdamW step, 50.8M parameters': adamwStep,
  'peak memory, CNN training, batch 512': trainingMemory,
};
const [only] = process.argv.slice(2);
const chosen = Object.entries(measurements).filter(([name]) => only === undefined || name.includes(only));
console.log(JSON.stringify(Object.fromEntries(chosen.map(([name, measure]) => [name, measure()]))));

/** Nanoseconds to add 2 x 2 elements. */
function callOverhead(): number {
  const a = keep(rand([2, 2]));
  const b = keep(rand([2, 2]));
  const additions = () =>
    tidy(() => {
      for (let i = 0; i < 1000; i++) a.add(b);
    });
  return (medianTime(additions, { repeats: 200, warmUp: 50 }) * 1e6) / 1000;
}

function matmul(): number {
  const a = keep(randn([1024, 1024]));
  const b = keep(randn([1024, 1024]));
  return medianTime(() => tidy(() => void a.matmul(b)));
}

function convolution(): number {
  const conv = new nn.Conv2d(64, 64, { kernel: 3, padding: 1 });
  const x = keep(randn([8, 64, 56, 56], { requiresGrad: true }));
  return medianTime(() =>
    tidy(() => {
      conv.zeroGrad();
      x.grad = null;
      conv.forward(x).sum().backward();
    }),
  );
}

function trainer(batch: number): () => void {
  const network = smallNetwork();
  const optimizer = new optim.SGD(network.parameters(), { lr: 0.01, momentum: 0.9, weightDecay: 1e-4 });
  const images = keep(randn([batch, 1, 28, 28]));
  const labels = keep(randint(0, 10, [batch]));
  return () =>
    tidy(() => {
      optimizer.zeroGrad();
      nn.functional.crossEntropy(network.forward(images), labels).backward();
      optimizer.step();
    });
}

function trainingStep(batch: number): number {
  return medianTime(trainer(batch), { repeats: 50, warmUp: 5 });
}

function trainingMemory(): number {
  const step = trainer(512);
  return peakMemory(() => {
    for (let i = 0; i < 5; i++) step();
  });
}

function adamwStep(): number {
  const parameters = largeShapes().map((shape) => new nn.Parameter(tidy(() => randn(shape).mul(0.02))));
  const optimizer = new optim.AdamW(parameters, { lr: 1e-3, weightDecay: 0.05 });
  for (const parameter of parameters) parameter.grad = randn(parameter.shape);
  return medianTime(() => optimizer.step(), { repeats: 10, warmUp: 2 });
}
