// Logits of exported files beside those of libtorch in float32, both against libtorch in float64. Prints a Markdown table.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nn, noGrad, randn, setSeed, type Tensor, tidy } from '@anyclass/torch';
import { exportNetwork } from 'anyclass';
import { createNetwork, isNetworkName, type Network, networkNames } from 'anyclass/networks';
import { InferenceSession, Tensor as OnnxTensor } from 'onnxruntime-node';

const names = process.argv.length > 2 ? process.argv.slice(2) : networkNames;
const batchSizes = [1, 2, 7, 32];
const most = Math.max(...batchSizes);
const classes = Array.from({ length: 17 }, (_, j) => `class ${j}`);
const folder = mkdtempSync(join(tmpdir(), 'anyclass-bench-'));

console.log(
  '| network | largest error of the file | of libtorch in float32 | ratio | part of the largest logit |',
);
console.log('|---|---|---|---|---|');
for (const name of names) {
  if (!isNetworkName(name) || name === 'linear' || name === 'mlp') continue;
  // As small as each network allows: what is computed is the same at every size.
  const inputSize = name === 'vit-b-16' ? 32 : 64;
  const partitions = name.startsWith('maxvit') ? { partitionSize: 2 } : {};
  using network = trained(createNetwork(name, { classes: classes.length, inputSize, ...partitions }));
  const out = join(folder, 'model.onnx');
  const description = { classes, channels: 3, mean: [0.5], std: [0.25] } as const;
  await exportNetwork(network, { description, out });
  using images = randn([most, 3, inputSize, inputSize]);
  const pixels = images.toFloat32Array();
  const float32 = noGrad(() => tidy(() => network.forward(images).toFloat32Array()));
  const float64 = inFloat64(network, images);
  const largest = float64.reduce((greatest, logit) => Math.max(greatest, Math.abs(logit)), 0);
  const session = await InferenceSession.create(out);
  let error = 0;
  for (const batch of batchSizes) {
    const part = pixels.subarray(0, (pixels.length / most) * batch);
    const { logits } = await session.run({
      pixel_values: new OnnxTensor('float32', part, [batch, 3, inputSize, inputSize]),
    });
    if (logits?.data instanceof Float32Array) error = Math.max(error, errorOf(logits.data, float64));
  }
  await session.release();
  const own = errorOf(float32, float64);
  console.log(
    `| ${name} | ${error.toExponential(1)} | ${own.toExponential(1)} | ${(error / own).toFixed(2)} | ${(error / largest).toExponential(1)} |`,
  );
}
rmSync(folder, { recursive: true });

/** With weights and statistics of every value. */
function trained(network: Network): Network {
  setSeed(1);
  noGrad(() => {
    for (const parameter of network.parameters()) {
      if (parameter.ndim === 1) parameter.add_(randn([parameter.numel]).mul(0.1));
      else if (parameter.abs().amax().toNumber() === 0) nn.init.normal_(parameter, 0, 0.02);
    }
    for (const [name, buffer] of network.namedBuffers()) {
      if (name.endsWith('running_mean')) buffer.copy_(randn([buffer.numel]).mul(0.1));
      if (name.endsWith('running_var')) buffer.copy_(randn([buffer.numel]).mul(0.2).exp());
    }
  });
  return network.eval();
}

function inFloat64(network: Network, images: Tensor): Float64Array {
  network.to('float64');
  const logits = noGrad(() => tidy(() => network.forward(images.to('float64')).toTypedArray()));
  network.to('float32');
  return Float64Array.from(logits, Number);
}

/** Of the rows that are there. */
function errorOf(values: Float32Array, exact: Float64Array): number {
  return values.reduce((error, value, i) => Math.max(error, Math.abs(value - exact[i]!)), 0);
}
