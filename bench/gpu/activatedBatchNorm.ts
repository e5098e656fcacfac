// Activated batch norm in training on a GPU: first against its composition in float64, one line a kind of input with the
// largest error of each result; then the time of every norm of TResNet-L (batch 256, 224 px, bfloat16, channels-last)
// beside PyTorch eager's batch norm and leaky ReLU, all in CUDA graphs, so that launches do not count.
//
//   bash bench/gpu/run.sh node bench/dist/gpu/activatedBatchNorm.js

import { fileURLToPath } from 'node:url';
import {
  CudaEvent,
  captureStep,
  cudaDeviceName,
  type Dtype,
  emptyCudaCache,
  grad,
  keep,
  noGrad,
  randn,
  setSeed,
  type Tensor,
  tidy,
  zeros,
} from '@anyclass/torch';
import { ActivatedBatchNorm, type Activation } from 'anyclass/networks';
import { runSide } from '../measure/sides.js';

const device = 'cuda';
const channelsLast = { memoryFormat: 'channelsLast' } as const;
const names = ['output', 'd input', 'd weight', 'd bias', 'running mean', 'running variance'];

setSeed(0);
console.log(
  `activated batch norm on ${cudaDeviceName()} against float64: errors relative to the largest value`,
);
const failures = checkAll();
console.log(failures === 0 ? 'all is well' : `${failures} FAILED`);
timeAll();
process.exitCode = failures === 0 ? 0 : 1;

function checkAll(): number {
  // Channels that 16 bytes divide, in one row or in several together, and those that need scalars; narrow and wide.
  const shapes = [
    [3, 1, 2, 1],
    [5, 77, 7, 3],
    [8, 77, 4, 4],
    [16, 83, 6, 6],
    [9, 64, 8, 8],
    [2, 1204, 5, 5],
    [8, 1216, 7, 7],
    [2, 2432, 3, 3],
    [64, 76, 28, 28],
  ];
  const activations: readonly Activation[] = ['identity', 'relu', { leakySlope: 0.01 }];
  const cases = shapes.flatMap((shape) =>
    (['float32', 'float16', 'bfloat16'] as const).map((dtype) => ({ shape, dtype })),
  );
  const bad = cases.filter(({ shape, dtype }) => {
    const errors = activations.map((activation, i) =>
      tidy(() => errorsOf(shape, dtype, activation, i % 2 === 0)),
    );
    const worst = names.map((_, i) => Math.max(...errors.map((error) => error[i] ?? Number.NaN)));
    const rounding = { float32: 0, float16: 2 ** -11, bfloat16: 2 ** -8 }[dtype];
    // Means are rounded to float32, which d weight multiplies by the sum of the gradients.
    const limits = [2e-5 + rounding, 2e-5 + rounding, 2e-4, 2e-5, 2e-5, 2e-5];
    const ok = worst.every((error, i) => error < (limits[i] ?? 0));
    const list = names.map((name, i) => `${name} ${worst[i]?.toExponential(1)}`).join(', ');
    console.log(`${ok ? 'ok    ' : 'FAILED'} ${dtype}[${shape.join(', ')}]: ${list}`);
    return !ok;
  });
  return bad.length + checkRepeats();
}

function errorsOf(shape: number[], dtype: Dtype, activation: Activation, absoluteWeight: boolean): number[] {
  const { x, dy, norm } = problem(shape, dtype, activation, absoluteWeight);
  const [plain, reference] = (['identity', activation] as const).map((kind) =>
    copyOf(norm, { activation: kind, absoluteWeight }),
  );
  // Either side of zero may be right within float32's accuracy of it.
  const isClear = noGrad(() => plain!.forward(x.to('float64')).abs().gt(1e-4));
  const gradient = dy.mul(isClear.to(dy));
  const expected = resultsOf(reference!, x.to('float64'), gradient.to('float64'));
  const found = resultsOf(norm, x, gradient);
  const errors = found.map((result, i) => {
    const wanted = expected[i]!;
    const largest = wanted.abs().amax().toNumber() || 1;
    return result.to('float64').sub(wanted).abs().amax().toNumber() / largest;
  });
  for (const module of [norm, plain!, reference!]) module.dispose();
  return errors;
}

/** The same bits each time, and from a captured step. */
function checkRepeats(): number {
  const { x, dy, norm } = keptProblem([64, 76, 28, 28], { leakySlope: 0.01 });
  const results = () => resultsOf(norm, x, dy).slice(0, 4);
  // What tidy frees is the graph too, whose nodes would else tie the captured step to this stream.
  const first = tidy(() => results().map((result) => result.clone()));
  const captured = captureStep(results);
  const repeats = Array.from({ length: 6 }, () =>
    tidy(() => captured().every((result, i) => result.equal(first[i]!))),
  );
  const same = repeats.every((isSame) => isSame);
  console.log(`${same ? 'ok    ' : 'FAILED'} the same bits each time, and in a CUDA graph`);
  for (const tensor of [x, dy, norm]) tensor.dispose();
  return same ? 0 : 1;
}

function problem(shape: number[], dtype: Dtype, activation: Activation, absoluteWeight: boolean) {
  const channels = shape[1]!;
  const norm = new ActivatedBatchNorm(channels, { activation, absoluteWeight }).to(device);
  noGrad(() => {
    norm.weight.copy_(randn([channels]));
    norm.bias.copy_(randn([channels]).mul(0.3));
  });
  const offset = randn([1, channels, 1, 1], { device }).mul(dtype === 'float32' ? 20 : 2);
  const x = randn(shape, { device })
    .mul(1.5)
    .add(offset)
    .to({ dtype, ...channelsLast });
  const dy = randn(shape, { device })
    .add(0.2)
    .to('bfloat16')
    .to({ dtype, ...channelsLast });
  return { x, dy, norm };
}

function keptProblem(shape: number[], activation: Activation) {
  return tidy(() => {
    const { x, dy, norm } = problem(shape, 'bfloat16', activation, true);
    return { x: keep(x), dy: keep(dy), norm };
  });
}

function copyOf(norm: ActivatedBatchNorm, options: { activation: Activation; absoluteWeight: boolean }) {
  const copy = new ActivatedBatchNorm(norm.weight.numel, options).to({ device, dtype: 'float64' });
  copy.loadStateDict(norm.stateDict());
  return copy;
}

function resultsOf(norm: ActivatedBatchNorm, x: Tensor, dy: Tensor): Tensor[] {
  const input = x.detach();
  input.requiresGrad = true;
  const output = norm.forward(input);
  const gradients = grad([output], [input, norm.weight, norm.bias], { gradients: [dy] });
  return [output.detach(), ...gradients.map((one) => one!), norm.runningMean, norm.runningVar];
}

function timeAll(): void {
  const script = fileURLToPath(new URL('../../gpu/activatedBatchNorm.py', import.meta.url));
  // Channels, side, and how many leaky and plain norms of TResNet-L have that shape.
  const layers = [
    [76, 56, 5, 4],
    [152, 56, 1, 0],
    [152, 28, 4, 6],
    [304, 28, 2, 0],
    [304, 14, 34, 0],
    [1216, 14, 0, 19],
    [608, 14, 2, 0],
    [608, 7, 4, 0],
    [2432, 7, 0, 4],
  ] as const;
  const kinds = layers.flatMap(([channels, side, leaky, plain]) =>
    [
      { name: `${channels}x${side} leaky`, channels, side, count: leaky, slope: 1e-3 },
      { name: `${channels}x${side} plain`, channels, side, count: plain, slope: 1 },
    ].filter(({ count }) => count > 0),
  );
  const theirs = runSide('python3', [script, ...kinds.map(({ name }) => name)]);
  const bandwidth = measureCopy();
  console.log(`a copy moves ${(bandwidth / 1e12).toFixed(2)} TB/s`);
  const total = { ours: 0, theirs: 0 };
  for (const { name, channels, side, count, slope } of kinds) {
    const activation: Activation = slope === 1 ? 'identity' : { leakySlope: slope };
    const [forward, both] = timesOf(channels, side, activation);
    const [peerForward = Number.NaN, peerBoth = Number.NaN] = [
      theirs[`${name} forward`],
      theirs[`${name} both`],
    ];
    const bytes = 256 * channels * side ** 2 * 2;
    console.log(
      `${count} x ${name}: forward ${line(forward, peerForward, 3 * bytes)}; backward ${line(both - forward, peerBoth - peerForward, 5 * bytes)}`,
    );
    total.ours += count * both;
    total.theirs += count * peerBoth;
  }
  console.log(
    `all norms of a step: ${total.ours.toFixed(2)} ms, PyTorch ${total.theirs.toFixed(2)} ms, ${(total.theirs / total.ours).toFixed(2)} times faster`,
  );
}

function line(ours: number, theirs: number, bytes: number): string {
  const micro = (milliseconds: number) => (milliseconds * 1000).toFixed(1);
  return `${micro(ours)} µs, ${(bytes / ours / 1e6).toFixed(0)} GB/s (PyTorch ${micro(theirs)} µs, ${(theirs / ours).toFixed(2)})`;
}

/** Forward, and forward with backward, in milliseconds. */
function timesOf(channels: number, side: number, activation: Activation): [number, number] {
  const { x, dy, norm } = keptProblem([256, channels, side, side], activation);
  const forward = captureStep(() => noGrad(() => [norm.forward(x)]));
  const both = captureStep(() => resultsOf(norm, x, dy).slice(0, 4));
  const times = [forward, both].map((step) => replayTime(() => tidy(() => void step())));
  for (const tensor of [x, dy, norm]) tensor.dispose();
  emptyCudaCache();
  return [times[0]!, times[1]!];
}

/** The best of five runs of twenty, between events on the GPU. */
function replayTime(fn: () => void): number {
  for (let i = 0; i < 10; i++) fn();
  const runs = Array.from({ length: 5 }, () => {
    using start = new CudaEvent().record();
    for (let i = 0; i < 20; i++) fn();
    using end = new CudaEvent().record();
    end.synchronize();
    return start.millisecondsTo(end) / 20;
  });
  return Math.min(...runs);
}

/** Bytes read and written per second by a copy of 1 GiB. */
function measureCopy(): number {
  const [from, to] = [0, 1].map(() => keep(zeros([1 << 28], { device })));
  const milliseconds = replayTime(() => to!.copy_(from!));
  for (const tensor of [from, to]) tensor?.dispose();
  return 2 ** 31 / (milliseconds / 1000);
}
