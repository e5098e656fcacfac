// The MNIST example on a GPU in float32, bf16 and fp16 with a gradient scaler, each step captured: all reach the same accuracy.

import { NumpyRandom } from '@anyclass/core';
import {
  autocast,
  captureStep,
  nn,
  noGrad,
  optim,
  setSeed,
  type Tensor,
  tensor,
  tidy,
} from '@anyclass/torch';
import { type Mnist, readMnist } from 'anyclass/data';
import { smallNetwork } from '../engine/networks.js';

const train = await readMnist('train');
const test = await readMnist('test');
const batchSize = 64;

for (const precision of ['float32', 'bfloat16', 'float16'] as const) {
  const start = performance.now();
  const accuracy = trained(precision);
  const seconds = (performance.now() - start) / 1000;
  console.log(
    `${precision}: test accuracy ${(100 * accuracy).toFixed(2)}% after 2 epochs in ${seconds.toFixed(1)} s`,
  );
}

function trained(precision: 'float32' | 'bfloat16' | 'float16'): number {
  setSeed(1);
  const network = smallNetwork().to('cuda');
  const optimizer = new optim.AdamW(network.parameters(), { lr: 2e-3 });
  const scaler = precision === 'float16' ? new optim.GradScaler() : undefined;
  const forward = (images: Tensor) =>
    precision === 'float32'
      ? network.forward(images)
      : autocast(() => network.forward(images), { device: 'cuda', dtype: precision });
  const step = captureStep((images, labels) => {
    optimizer.zeroGrad();
    const loss = nn.functional.crossEntropy(forward(images!).to('float32'), labels!);
    (scaler ? scaler.scale(loss) : loss).backward();
    if (scaler) {
      scaler.step(optimizer);
      scaler.update();
    } else optimizer.step();
    return [loss.detach()];
  });
  for (let epoch = 1; epoch <= 2; epoch++) {
    const order = new NumpyRandom(epoch).permutation(60_000);
    for (let at = 0; at + batchSize <= order.length; at += batchSize) {
      tidy(() => void step(...batch(train, order.subarray(at, at + batchSize))));
    }
  }
  network.eval();
  return tidy(() => {
    const [images, labels] = batch(
      test,
      Int32Array.from({ length: 10_000 }, (_, i) => i),
    );
    return noGrad(() => forward(images).argmax(1).eq(labels).to('float32').mean().toNumber());
  });
}

function batch(digits: Mnist, indices: Int32Array): [Tensor, Tensor] {
  const pixels = new Uint8Array(indices.length * 784);
  for (const [i, index] of indices.entries())
    pixels.set(digits.pixels.subarray(index * 784, (index + 1) * 784), i * 784);
  const images = tensor(pixels, { shape: [indices.length, 1, 28, 28], device: 'cuda' })
    .to('float32')
    .div(255);
  return [
    images,
    tensor(
      BigInt64Array.from(indices, (index) => BigInt(digits.labels[index] ?? 0)),
      { device: 'cuda' },
    ),
  ];
}
