// Our side of the engine benchmark on a GPU; prints each result as it is measured, and all as JSON at the end.

import {
  autocast,
  CudaEvent,
  captureStep,
  cudaMemory,
  cudaSynchronize,
  emptyCudaCache,
  keep,
  nn,
  optim,
  rand,
  randint,
  randn,
  resetPeakCudaMemory,
  setCudnnBenchmark,
  setSeed,
  setTf32,
  type Tensor,
  tidy,
} from '@anyclass/torch';
import { median } from '../measure/timing.js';
import { resnet18 } from './resnet.js';

const device = 'cuda';
const [only = ''] = process.argv.slice(2);
const measured: Record<string, number> = {};

setSeed(0);
setCudnnBenchmark(true);
setTf32(true);

measure('call overhead (ns)', callOverhead);
measure('matmul 8192³ bf16 (TFLOP/s)', matmul);
for (const [channels, size] of [
  [64, 56],
  [256, 28],
  [512, 14],
] as const) {
  measure(`convolution ${channels} at ${size} bf16 (ms)`, () => convolution(channels, size));
}
measure('ResNet-18 step, eager (images/s)', () => training(false));
measure('ResNet-18 peak memory (MiB)', trainingMemory);
measure('ResNet-18 step, captured (images/s)', () => training(true));
console.log(JSON.stringify(measured));

function measure(name: string, fn: () => number): void {
  if (!name.includes(only)) return;
  const value = fn();
  measured[name] = value;
  console.log(`${name}: ${value.toPrecision(5)}`);
  emptyCudaCache();
}

/** The median milliseconds of one call, with ten queued at a time. */
function gpuTime(fn: () => void, repeats = 30, warmUp = 10): number {
  for (let i = 0; i < warmUp; i++) fn();
  const times = Array.from({ length: repeats }, () => {
    using start = new CudaEvent().record();
    for (let i = 0; i < 10; i++) fn();
    using end = new CudaEvent().record();
    end.synchronize();
    return start.millisecondsTo(end) / 10;
  });
  return median(times);
}

function callOverhead(): number {
  const a = keep(rand([2, 2], { device }));
  const b = keep(rand([2, 2], { device }));
  const additions = () => {
    for (let i = 0; i < 100; i++)
      tidy(() => {
        for (let k = 0; k < 100; k++) a.add(b);
      });
    cudaSynchronize();
  };
  additions();
  const times = Array.from({ length: 10 }, () => {
    const start = performance.now();
    additions();
    return ((performance.now() - start) * 1e6) / 10_000;
  });
  return times.sort((x, y) => x - y)[5] ?? Number.NaN;
}

function matmul(): number {
  using a = keep(randn([8192, 8192], { device, dtype: 'bfloat16' }));
  using b = keep(randn([8192, 8192], { device, dtype: 'bfloat16' }));
  return (2 * 8192 ** 3) / (gpuTime(() => tidy(() => void a.matmul(b))) * 1e9);
}

function convolution(channels: number, size: number): number {
  using conv = new nn.Conv2d(channels, channels, { kernel: 3, padding: 1, bias: false }).to({
    device,
    dtype: 'bfloat16',
    memoryFormat: 'channelsLast',
  });
  using x = keep(
    tidy(() =>
      randn([256, channels, size, size], { device, dtype: 'bfloat16' }).to({ memoryFormat: 'channelsLast' }),
    ),
  );
  x.requiresGrad = true;
  using gradient = keep(tidy(() => conv.forward(x).detach().clone()));
  return gpuTime(() =>
    tidy(() => {
      x.grad = null;
      conv.zeroGrad();
      conv.forward(x).backward(gradient);
    }),
  );
}

function trainingMemory(): number {
  resetPeakCudaMemory();
  training(false);
  return cudaMemory().peakAllocated / 2 ** 20;
}

/** Images per second of whole steps: forward, loss, backward, clipping, SGD. */
function training(captured: boolean): number {
  const batch = 256;
  using network = resnet18(10).to({ device, memoryFormat: 'channelsLast' });
  const parameters = network.parameters();
  const optimizer = new optim.SGD(parameters, { lr: 0.01, momentum: 0.9, weightDecay: 1e-4 });
  using images = keep(tidy(() => randn([batch, 3, 64, 64], { device }).to({ memoryFormat: 'channelsLast' })));
  using labels = keep(randint(0, 10, [batch], { device }));
  const body = (x: Tensor, y: Tensor): readonly Tensor[] => {
    optimizer.zeroGrad();
    const loss = autocast(() => nn.functional.crossEntropy(network.forward(x), y), { device: 'cuda' });
    loss.backward();
    optim.clipGradNorm_(parameters, 1);
    optimizer.step();
    return [loss.detach()];
  };
  const step = captured ? captureStep((x, y) => body(x!, y!)) : (x: Tensor, y: Tensor) => body(x, y);
  const run = (count: number) => {
    for (let i = 0; i < count; i++) tidy(() => void step(images, labels));
    cudaSynchronize();
  };
  run(20);
  const rates = Array.from({ length: 5 }, () => {
    const start = performance.now();
    run(40);
    return (40 * batch * 1000) / (performance.now() - start);
  });
  return median(rates);
}
