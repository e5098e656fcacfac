// Where a network's time goes on a GPU: the forward pass by kinds of layers, in training (bf16 autocast) and in inference (folded, bfloat16), beside the floor
// of the bytes and the operations of each, and what the rest of a training step takes. Uncaptured; a layer's time is without that of the layers in it.
//
//   bash bench/gpu/run.sh node bench/dist/gpu/layerTimes.js convnext-t:224:256      (name:pixels:batch)

import {
  autocast,
  CudaEvent,
  cudaSynchronize,
  emptyCudaCache,
  keep,
  nn,
  noGrad,
  randn,
  setCudnnBenchmark,
  setTf32,
  type Tensor,
  tidy,
} from '@anyclass/torch';
import { foldBatchNorm, isNetworkName, type LayerCall, type Network, watchLayers } from 'anyclass/networks';
import { targets, trainer } from '../networks/step.js';

const device = 'cuda';
/** What an H200 reaches in long copies and products. */
const [bytesPerMillisecond, operationsPerMillisecond] = [4.2e9, 790e9];

interface Row {
  calls: number;
  milliseconds: number;
  floor: number;
}

setCudnnBenchmark(true);
setTf32(true);
for (const task of process.argv.slice(2)) {
  const [name = '', pixels = '224', batch = '256'] = task.split(':');
  if (!isNetworkName(name)) throw new RangeError(`there is no network '${name}'`);
  const shape = [Number(batch), 3, Number(pixels), Number(pixels)];
  const images = keep(tidy(() => randn(shape, { device }).to({ memoryFormat: 'channelsLast' })));
  const labels = keep(tidy(() => targets(Number(batch)).to(device)));
  const { network, step } = trainer(name, { device, inputSize: Number(pixels), mixedPrecision: true });

  const forward = () => void autocast(() => network.forward(images), { device, cache: false });
  const whole = milliseconds(() => void step(images, labels));
  print(`${task}, training, forward`, network, forward);
  console.log(`a whole training step: ${whole.toFixed(2)} ms\n`);

  using folded = foldBatchNorm(network).to('bfloat16');
  const half = keep(images.to('bfloat16'));
  print(`${task}, inference`, folded, () => void noGrad(() => folded.forward(half)));
  for (const tensor of [images, labels, half]) tensor.dispose();
  network.dispose();
  emptyCudaCache();
}

function milliseconds(run: () => void): number {
  for (let i = 0; i < 3; i++) tidy(run);
  using start = new CudaEvent().record();
  for (let i = 0; i < 5; i++) tidy(run);
  using end = new CudaEvent().record();
  end.synchronize();
  return start.millisecondsTo(end) / 5;
}

function print(title: string, network: Network, run: () => void): void {
  const whole = milliseconds(run);
  const rows = timesOf(network, run);
  const sum = [...rows.values()].reduce((total, row) => total + row.milliseconds, 0);
  console.log(`${title}: ${whole.toFixed(2)} ms, ${sum.toFixed(2)} ms with each layer timed`);
  for (const [kind, row] of [...rows].sort((a, b) => b[1].milliseconds - a[1].milliseconds).slice(0, 24)) {
    console.log(
      `${row.milliseconds.toFixed(3).padStart(9)} ms  floor ${row.floor.toFixed(3).padStart(7)}  ${String(row.calls).padStart(3)}x  ${kind}`,
    );
  }
}

/** The time of each kind of layer without the layers in it. */
function timesOf(network: Network, run: () => void): Map<string, Row> {
  const open: { start: CudaEvent; inner: { start: CudaEvent; end: CudaEvent }[] }[] = [];
  const calls: {
    kind: string;
    floor: number;
    start: CudaEvent;
    end: CudaEvent;
    inner: { start: CudaEvent; end: CudaEvent }[];
  }[] = [];
  const before = () => {
    open.push({ start: new CudaEvent().record(), inner: [] });
    return undefined;
  };
  const after = (call: LayerCall) => {
    const { start, inner } = open.pop()!;
    const end = new CudaEvent().record();
    open.at(-1)?.inner.push({ start, end });
    calls.push({ kind: kindOf(call), floor: floorOf(call), start, end, inner });
    return undefined;
  };
  watchLayers(network, { before, after }, () => tidy(run));
  cudaSynchronize();
  const rows = new Map<string, Row>();
  for (const { kind, floor, start, end, inner } of calls) {
    const row = rows.get(kind) ?? { calls: 0, milliseconds: 0, floor: 0 };
    const nested = inner.reduce((sum, each) => sum + each.start.millisecondsTo(each.end), 0);
    row.calls += 1;
    row.milliseconds += start.millisecondsTo(end) - nested;
    row.floor += floor;
    rows.set(kind, row);
  }
  for (const { start, end } of calls) for (const event of [start, end]) event[Symbol.dispose]();
  return rows;
}

function kindOf({ layer, input, output }: LayerCall): string {
  return `${layer.constructor.name} ${input.shape.slice(1).join('x')} -> ${output.shape.slice(1).join('x')} ${output.dtype}`;
}

/** Reading the input once and writing the output once, or multiplying. */
function floorOf({ layer, input, output }: LayerCall): number {
  const bytes = (tensor: Tensor) => tensor.numel * (tensor.dtype === 'float32' ? 4 : 2);
  const isProduct = layer instanceof nn.Conv2d || layer instanceof nn.Linear;
  const products = isProduct ? (output.numel * layer.weight.numel) / (layer.weight.shape[0] ?? 1) : 0;
  return Math.max(
    (bytes(input) + bytes(output)) / bytesPerMillisecond,
    (2 * products) / operationsPerMillisecond,
  );
}
