// The class-balanced any-class focal loss on a GPU, forward and backward, against the paper's formulation in PyTorch
// eager, in one run. Medians between CUDA events.
//
//   bash bench/gpu/run.sh node bench/dist/gpu/loss.js

import { fileURLToPath } from 'node:url';
import {
  CudaEvent,
  captureStep,
  cudaDeviceName,
  cudaMemory,
  type Dtype,
  emptyCudaCache,
  grad,
  keep,
  resetPeakCudaMemory,
  tidy,
  zeros,
} from '@anyclass/torch';
import { anyClassLoss } from 'anyclass/losses';
import { type LossProblem, lossProblem, lossStep } from '../loss/problem.js';
import { runSide } from '../measure/sides.js';
import { median } from '../measure/timing.js';

const shapes = ['256x17', '65536x1000'];
const script = fileURLToPath(new URL('../../gpu/loss.py', import.meta.url));

const paper = runSide('python3', [script, ...shapes]);
const copyBandwidth = measureCopy();
console.log(`${cudaDeviceName()}, a copy moves ${(copyBandwidth / 1e12).toFixed(2)} TB/s`);
for (const shape of shapes) {
  const [rows = 0, classes = 0] = shape.split('x').map(Number);
  const problem = lossProblem(rows, classes, 'cuda');
  const eager = medianTime(() => tidy(() => lossStep(problem)));
  const captured = medianTime(capturedStep(problem));
  const theirs = paper[shape] ?? Number.NaN;
  console.log(
    `${shape} float32: ${times(eager, theirs)}; captured ${times(captured, theirs)}; paper's ${micro(theirs)}`,
  );
  if (rows < 10_000) continue;
  // Logits and targets read twice, the gradient written once.
  report('float32 logits, float32 targets', eager, rows * classes * (2 * 4 + 2 * 4 + 4));
  reportKind(problem, 'float32', 'uint8', rows * classes * (2 * 4 + 2 * 1 + 4));
  reportKind(problem, 'bfloat16', 'float32', rows * classes * (2 * 2 + 2 * 4 + 2));
  reportKind(problem, 'bfloat16', 'uint8', rows * classes * (2 * 2 + 2 * 1 + 2));
  const asymmetric = medianTime(() => tidy(() => lossStep(problem, 'asl')));
  report('ASL, float32 logits, float32 targets', asymmetric, rows * classes * (2 * 4 + 2 * 4 + 4));
  reportMemory(problem);
}

function reportKind(problem: LossProblem, logitDtype: Dtype, targetDtype: Dtype, bytes: number): void {
  const logits = keep(problem.logits.detach().to({ dtype: logitDtype, copy: true }));
  logits.requiresGrad = true;
  const kind = { ...problem, logits, targets: keep(problem.targets.to(targetDtype)) };
  report(
    `${logitDtype} logits, ${targetDtype} targets`,
    medianTime(() => tidy(() => lossStep(kind))),
    bytes,
  );
}

function report(name: string, milliseconds: number, bytes: number): void {
  const share = bytes / (milliseconds / 1000) / copyBandwidth;
  console.log(`  ${name}: ${micro(milliseconds)}, ${(share * 100).toFixed(0)}% of copy bandwidth`);
}

function reportMemory(problem: LossProblem): void {
  problem.logits.grad = null;
  emptyCudaCache();
  const before = cudaMemory().allocated;
  resetPeakCudaMemory();
  tidy(() => lossStep(problem));
  const peak = cudaMemory().peakAllocated - before;
  console.log(
    `  peak memory in addition to the inputs: ${(peak / 2 ** 20).toFixed(1)} MiB, of which the gradient is 250`,
  );
}

function capturedStep({ logits, targets, balance }: LossProblem): () => void {
  const step = captureStep((z, y) => {
    const leaf = z.detach();
    leaf.requiresGrad = true;
    return [grad([anyClassLoss(leaf, y, { base: 'focal', balance })], [leaf])[0]!];
  });
  return () => tidy(() => void step(logits.detach(), targets));
}

/** Bytes per second, read and written, of a 1 GiB copy. */
function measureCopy(): number {
  const [from, to] = [0, 1].map(() => keep(zeros([1 << 28], { device: 'cuda' })));
  const milliseconds = medianTime(() => to!.copy_(from!));
  return 2 ** 31 / (milliseconds / 1000);
}

/** Milliseconds between CUDA events. */
function medianTime(fn: () => void, { repeats = 50, warmUp = 10 } = {}): number {
  const measured = Array.from({ length: warmUp + repeats }, () => {
    using start = new CudaEvent().record();
    fn();
    using end = new CudaEvent().record();
    end.synchronize();
    return start.millisecondsTo(end);
  });
  return median(measured.slice(warmUp));
}

function times(milliseconds: number, theirs: number): string {
  return `${micro(milliseconds)} (${(theirs / milliseconds).toFixed(1)} times faster)`;
}

function micro(milliseconds: number): string {
  return `${(milliseconds * 1000).toFixed(1)} µs`;
}
