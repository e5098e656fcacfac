// Logits of exported files and of libtorch in float32, both compared with libtorch in float64. Prints a Markdown table.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { noGrad, randn, tidy } from '@anyclass/torch';
import { exportNetwork } from 'anyclass';
import { createNetwork, isNetworkName, networkNames } from 'anyclass/networks';
import { InferenceSession, Tensor as OnnxTensor } from 'onnxruntime-node';
import { errorOf, inFloat64, varied } from './exactness.js';

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
  // As small as each network allows: the computation is the same at every size.
  const inputSize = name === 'vit-b-16' ? 32 : 64;
  const partitions = name.startsWith('maxvit') ? { partitionSize: 2 } : {};
  using network = varied(createNetwork(name, { classes: classes.length, inputSize, ...partitions }));
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
