// Our side of prediction on the CPU: the folded network in libtorch, or the exported file in onnxruntime. Prints what it measured as JSON.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { keep, noGrad, setThreadCount, tidy } from '@anyclass/torch';
import { exportNetwork } from 'anyclass';
import { createNetwork, foldBatchNorm, isNetworkName, moveNetwork } from 'anyclass/networks';
import { hashImages } from 'anyclass/verify';
import { InferenceSession, Tensor as OnnxTensor } from 'onnxruntime-node';

const [engine = '', name = '', batchText = '8', repeatsText = '5'] = process.argv.slice(2);
const [batch, repeats] = [Number(batchText), Number(repeatsText)];
if (!isNetworkName(name)) throw new RangeError(`there is no network '${name}'`);
setThreadCount(2);
const side = 224;
using network = createNetwork(name, { classes: 17, inputSize: side }).eval();
const images = keep(hashImages([batch, 3, side, side]));
const predict = engine === 'onnxruntime' ? await inOnnx() : inLibtorch();
await predict();
const runs: { wall: number; cpu: number }[] = [];
for (let i = 0; i < repeats; i++) {
  const cpu = process.cpuUsage();
  const start = performance.now();
  await predict();
  const { user, system } = process.cpuUsage(cpu);
  runs.push({ wall: (performance.now() - start) / batch, cpu: (user + system) / 1000 / batch });
}
// Noise only ever slows a run down.
console.log(
  JSON.stringify({
    wall: Math.min(...runs.map(({ wall }) => wall)),
    cpu: Math.min(...runs.map(({ cpu }) => cpu)),
  }),
);

function inLibtorch(): () => Promise<void> {
  const folded = foldBatchNorm(moveNetwork(network, 'cpu'));
  return async () => {
    tidy(() => noGrad(() => folded.forward(images).toFloat32Array()));
  };
}

async function inOnnx(): Promise<() => Promise<void>> {
  const folder = mkdtempSync(join(tmpdir(), 'anyclass-bench-'));
  const out = join(folder, 'model.onnx');
  const classes = Array.from({ length: 17 }, (_, j) => `class ${j}`);
  await exportNetwork(network, { description: { classes, channels: 3, mean: [0.5], std: [0.25] }, out });
  // The peer's export has a fixed batch too: then onnxruntime fuses residual additions with convolutions.
  const session = await InferenceSession.create(out, {
    intraOpNumThreads: 2,
    freeDimensionOverrides: { batch },
  });
  rmSync(folder, { recursive: true });
  const input = new OnnxTensor('float32', images.toFloat32Array(), [...images.shape]);
  return async () => {
    await session.run({ pixel_values: input });
  };
}
