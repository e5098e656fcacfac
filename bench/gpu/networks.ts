// Our side of the networks on a GPU: training steps (bf16 autocast, channels-last, the whole step captured) and inference
// (batch norm folded, bfloat16 weights, captured). Prints each result as it is measured, and all as JSON at the end.
//
//   node bench/dist/gpu/networks.js tresnet-l:224:256 maxvit-s:224:256      (name:pixels:batch)

import {
  captureStep,
  cudaMemory,
  cudaSynchronize,
  emptyCudaCache,
  keep,
  noGrad,
  randn,
  resetPeakCudaMemory,
  setCudnnBenchmark,
  setSeed,
  setTf32,
  type Tensor,
  tidy,
} from '@anyclass/torch';
import { foldBatchNorm, isNetworkName, type Network, type NetworkName } from 'anyclass/networks';
import { median } from '../measure/timing.js';
import { targets, trainer } from '../networks/step.js';

const device = 'cuda';
const measured: Record<string, number> = {};
const everything = ['tresnet-l:224:256', 'vit-b-16:224:256', 'maxvit-s:224:256', 'tresnet-m:64:256'];

setSeed(0);
setCudnnBenchmark(true);
setTf32(true);

for (const task of process.argv.length > 2 ? process.argv.slice(2) : everything) {
  const [name = '', pixels = '224', batch = '256'] = task.split(':');
  if (!isNetworkName(name)) throw new RangeError(`there is no network '${name}'`);
  measure(name, Number(pixels), Number(batch));
  emptyCudaCache();
}
console.log(JSON.stringify(measured));

function measure(name: NetworkName, inputSize: number, batch: number): void {
  const title = `${name} at ${inputSize} px`;
  const images = keep(
    tidy(() => randn([batch, 3, inputSize, inputSize], { device }).to({ memoryFormat: 'channelsLast' })),
  );
  const labels = keep(tidy(() => targets(batch).to(device)));
  const before = cudaMemory().allocated;
  const { network, step } = trainer(name, { device, inputSize, mixedPrecision: true });
  resetPeakCudaMemory();
  // Captured steps hold their memory until the process exits; exclude that of earlier networks.
  const held = before - images.numel * 4 - labels.numel * 4;
  const captured = captureStep((x, y) => step(x!, y!));
  const rate = imagesPerSecond(batch, () => void captured(images, labels));
  record(`${title}, training (images/s)`, rate);
  record(`${title}, training peak memory (GiB)`, (cudaMemory().peakAllocated - held) / 2 ** 30);
  record(`${title}, inference (images/s)`, inference(network, images, batch));
  for (const tensor of [images, labels]) tensor.dispose();
  network.dispose();
}

function inference(network: Network, images: Tensor, batch: number): number {
  using folded = foldBatchNorm(network).to('bfloat16');
  const x = keep(images.to('bfloat16'));
  const predict = captureStep((input) => [noGrad(() => folded.forward(input!))]);
  const rate = imagesPerSecond(batch, () => void predict(x));
  x.dispose();
  return rate;
}

/** The median of three runs of ten calls, after enough calls for the capture. */
function imagesPerSecond(batch: number, fn: () => void): number {
  const run = (calls: number) => {
    const start = performance.now();
    for (let i = 0; i < calls; i++) tidy(fn);
    cudaSynchronize();
    return (calls * batch * 1000) / (performance.now() - start);
  };
  run(8);
  return median([run(10), run(10), run(10)]);
}

function record(name: string, value: number): void {
  measured[name] = value;
  console.log(`${name}: ${value.toPrecision(5)}`);
}
