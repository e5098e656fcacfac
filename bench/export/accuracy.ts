// Logits of exported files in three precisions, and of libtorch in float32, all compared with libtorch in float64. Prints a Markdown table.
//
//   node bench/dist/export/accuracy.js [NETWORK[:HEAD]…]      every network with a linear head, and every head on one network of each family

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { noGrad, randn, tidy } from '@anyclass/torch';
import { exportNetwork } from 'anyclass';
import {
  createNetwork,
  isNetworkName,
  type NetworkName,
  networkDefinitions,
  networkNames,
} from 'anyclass/networks';
import { InferenceSession, Tensor as OnnxTensor } from 'onnxruntime-node';
import { errorOf, inFloat64, varied } from './exactness.js';

const heads = ['linear', 'experts', 'gem', 'csra', 'ml-decoder'] as const;
const families: readonly NetworkName[] = [
  ...(['tresnet-s', 'resnet-18', 'convnext-t', 'densenet-121', 'efficientnetv2-s', 'mobilenetv3-l'] as const),
  ...(['vit-s-16', 'dinov2-s-14-reg', 'dinov3-s-16', 'swin-t', 'maxvit-t'] as const),
];
const everything = [
  ...networkNames.filter((name) => networkDefinitions[name].input !== 'features'),
  ...families.flatMap((name) => heads.slice(1).map((head) => `${name}:${head}`)),
];
const precisions = ['float32', 'float16', 'int8'] as const;
const batch = 4;
const classes = Array.from({ length: 17 }, (_, j) => `class ${j}`);
const folder = mkdtempSync(join(tmpdir(), 'anyclass-bench-'));

console.log('| network | float32, of libtorch’s own error | float32 | float16 | int8 |');
console.log('|---|---|---|---|---|');
for (const task of process.argv.length > 2 ? process.argv.slice(2) : everything) {
  const [name = '', headName = 'linear'] = task.split(':');
  const head = heads.find((one) => one === headName);
  if (!isNetworkName(name) || !head) throw new RangeError(`there is no '${task}'`);
  // As small as each network allows: the computation is the same at every size.
  const inputSize = name.startsWith('dinov2') ? 56 : 64;
  const partitions = name.startsWith('maxvit') ? { partitionSize: 2 } : {};
  using network = varied(createNetwork(name, { classes: classes.length, inputSize, head, ...partitions }));
  using images = randn([batch, 3, inputSize, inputSize]);
  const pixels = images.toFloat32Array();
  const own = noGrad(() => tidy(() => network.forward(images).toFloat32Array()));
  const exact = inFloat64(network, images);
  const largest = exact.reduce((greatest, logit) => Math.max(greatest, Math.abs(logit)), 0);
  const errors: string[] = [];
  let ratio = Number.NaN;
  for (const precision of precisions) {
    const out = join(folder, `${precision}.onnx`);
    const description = { classes, channels: 3, mean: [0.5], std: [0.25] } as const;
    await exportNetwork(network, { description, out, precision });
    const session = await InferenceSession.create(out, { intraOpNumThreads: 1 });
    const input = new OnnxTensor('float32', pixels, [batch, 3, inputSize, inputSize]);
    const { logits } = await session.run({ pixel_values: input });
    const error = errorOf(logits!.data, exact);
    await session.release();
    if (precision === 'float32') ratio = error / errorOf(own, exact);
    errors.push((error / largest).toExponential(1));
  }
  console.log(`| ${task} | ${ratio.toFixed(2)} | ${errors.join(' | ')} |`);
}
rmSync(folder, { recursive: true });
