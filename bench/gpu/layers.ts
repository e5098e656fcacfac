// The layers with our own kernels against libtorch's equivalent operators, at MaxViT-S's and ViT-B/16's sizes (batch 256,
// 224 px, bfloat16, channels-last), forward and backward in CUDA graphs: time, and minimum memory traffic per second.
//
//   bash bench/gpu/run.sh node bench/dist/gpu/layers.js

import {
  autocast,
  CudaEvent,
  captureStep,
  emptyCudaCache,
  grad,
  keep,
  nn,
  noGrad,
  randn,
  setCudnnBenchmark,
  type Tensor,
  tidy,
} from '@anyclass/torch';
import { ActivatedBatchNorm, DepthwiseConv, LayerNorm, residualNorm } from 'anyclass/networks';

const device = 'cuda';
const batch = 256;
const half = { dtype: 'bfloat16', memoryFormat: 'channelsLast' } as const;

/** Returns the outputs; weights are cast as autocast would. */
type Forward = (inputs: readonly Tensor[]) => readonly Tensor[];

setCudnnBenchmark(true);
for (const [channels, side, stride] of [
  [384, 112, 2],
  [384, 56, 1],
  [768, 28, 1],
  [1536, 28, 2],
  [1536, 14, 1],
  [3072, 7, 1],
] as const) {
  depthwise(channels, side, stride);
}
for (const [channels, side] of [
  [384, 112],
  [768, 28],
  [1536, 14],
] as const) {
  batchNormGelu(channels, side);
}
tokens('MaxViT stage 1', [batch, 56, 56, 96], 'bfloat16');
tokens('MaxViT stage 3', [batch, 14, 14, 384], 'bfloat16');
tokens('ViT', [batch, 197, 768], 'float32');

function depthwise(channels: number, side: number, stride: 1 | 2): void {
  const options = { kernel: 3, padding: 1, groups: channels, stride, bias: false } as const;
  const ours = new DepthwiseConv(channels, channels, options).to(device);
  const theirs = new nn.Conv2d(channels, channels, options).to({ device, memoryFormat: 'channelsLast' });
  const x = input([batch, channels, side, side]);
  const moved = 2 * x.numel * (1 + 1 / stride ** 2);
  compare(
    `depthwise ${channels} at ${side} px, stride ${stride}`,
    [x],
    1,
    [moved, 2 * moved],
    [
      [([map]) => [ours.forward(map!)], ours],
      [([map]) => [autocast(() => theirs.forward(map!), { device, cache: false })], theirs],
    ],
  );
}

function batchNormGelu(channels: number, side: number): void {
  const ours = new ActivatedBatchNorm(channels, { activation: 'gelu' }).to(device);
  const plain = new ActivatedBatchNorm(channels).to(device);
  const x = input([batch, channels, side, side]);
  compare(
    `batch norm and GELU, ${channels} at ${side} px`,
    [x],
    1,
    [6 * x.numel, 10 * x.numel],
    [
      [([map]) => [ours.forward(map!)], ours],
      [([map]) => [nn.functional.gelu(plain.forward(map!))], plain],
    ],
  );
}

function tokens(title: string, shape: readonly number[], dtype: 'bfloat16' | 'float32'): void {
  const [ours, theirs] = [0, 1].map(() => new LayerNorm(shape.at(-1) ?? 1).to(device));
  const [stream, values] = [
    keep(tidy(() => randn(shape, { device }).to(dtype))),
    keep(tidy(() => randn(shape, { device }).to('bfloat16'))),
  ];
  const bytes = dtype === 'float32' ? 4 : 2;
  const forward = stream.numel * (2 * bytes + 4);
  compare(
    `residual and layer norm, ${title}`,
    [stream, values],
    2,
    [forward, stream.numel * (3 * bytes + 4)],
    [
      [
        ([x, branch]) =>
          autocast(
            () => {
              const { sum, normed } = residualNorm(ours!, x!, { branch: { values: branch! } });
              return [sum, normed];
            },
            { device, cache: false },
          ),
        ours!,
      ],
      [
        ([x, branch]) => {
          const sum = x!.add(branch!);
          return [sum, theirs!.forward(sum).to('bfloat16')];
        },
        theirs!,
      ],
    ],
  );
}

function input(shape: readonly number[]): Tensor {
  return keep(tidy(() => randn(shape, { device }).to(half)));
}

function compare(
  title: string,
  inputs: readonly Tensor[],
  outputs: number,
  [forwardBytes, backwardBytes]: readonly [number, number],
  sides: readonly (readonly [Forward, nn.Module])[],
): void {
  const measured = sides.map(([forward, module]) => {
    const shapes = tidy(() =>
      noGrad(() => forward(inputs)).map((output) => [output.shape, output.dtype] as const),
    );
    const gradients = shapes.map(([shape, dtype]) =>
      keep(tidy(() => randn(shape, { device }).to(shape.length === 4 && outputs === 1 ? half : { dtype }))),
    );
    const alone = captureStep(() => noGrad(() => [...forward(inputs)]));
    const both = captureStep(() => {
      const leaves = inputs.map((tensor) => {
        const leaf = tensor.detach();
        leaf.requiresGrad = true;
        return leaf;
      });
      const found = grad([...forward(leaves)], [...leaves, ...module.parameters()], { gradients });
      return found.map((gradient) => gradient!);
    });
    const times = [alone, both].map((step) => replayTime(() => tidy(() => void step())));
    for (const gradient of gradients) gradient.dispose();
    module.dispose();
    return [times[0]!, times[1]! - times[0]!] as const;
  });
  const [[forward, backward], [theirForward, theirBackward]] = [measured[0]!, measured[1]!];
  const line = (ours: number, theirs: number, bytes: number) =>
    `${ours.toFixed(3)} ms at ${(bytes / ours / 1e9).toFixed(2)} TB/s (libtorch ${theirs.toFixed(3)} ms)`;
  console.log(
    `${title}: forward ${line(forward, theirForward, forwardBytes)}, backward ${line(backward, theirBackward, backwardBytes)}`,
  );
  for (const tensor of inputs) tensor.dispose();
  emptyCudaCache();
}

/** The best of three runs of ten, measured between CUDA events. */
function replayTime(fn: () => void): number {
  for (let i = 0; i < 6; i++) fn();
  const runs = Array.from({ length: 3 }, () => {
    using start = new CudaEvent().record();
    for (let i = 0; i < 10; i++) fn();
    using end = new CudaEvent().record();
    end.synchronize();
    return start.millisecondsTo(end) / 10;
  });
  return Math.min(...runs);
}
