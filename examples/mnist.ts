// Trains a small convolutional network on MNIST's handwritten digits: 98.9% test accuracy after two epochs,
// in about a minute on two cores.
//
//   node examples/dist/mnist.js [EPOCHS] [IMAGES]

import { NumpyRandom } from '@anyclass/core';
import { nn, noGrad, optim, setSeed, type Tensor, tensor, tidy } from '@anyclass/torch';
import { runDisplay } from 'anyclass';
import { type Mnist, readMnist } from 'anyclass/data';

const { Conv2d, Flatten, functional, Linear, MaxPool2d, ReLU, Sequential } = nn;
const show = runDisplay(process.stderr);
const batchSize = 64;
const [epochs = 2, limit = 60_000] = process.argv.slice(2).map(Number);

setSeed(1);
const training = await readMnist('train');
const test = await readMnist('test');
const network = new Sequential(
  new Conv2d(1, 16, { kernel: 3, padding: 1 }),
  new ReLU(),
  new MaxPool2d({ kernel: 2 }),
  new Conv2d(16, 32, { kernel: 3, padding: 1 }),
  new ReLU(),
  new MaxPool2d({ kernel: 2 }),
  new Flatten(),
  new Linear(32 * 7 * 7, 128),
  new ReLU(),
  new Linear(128, 10),
);
const optimizer = new optim.AdamW(network.parameters(), { lr: 2e-3 });

for (let epoch = 1; epoch <= epochs; epoch++) {
  const order = new NumpyRandom(epoch).permutation(training.labels.length);
  const images = Math.min(limit, order.length);
  const total = images - (images % batchSize);
  for (let start = 0; start < total; start += batchSize) {
    const loss = tidy(() => {
      const [images, labels] = batch(training, order.subarray(start, start + batchSize));
      const loss = functional.crossEntropy(network.forward(images), labels);
      optimizer.zeroGrad();
      loss.backward();
      optimizer.step();
      return loss.toNumber();
    });
    show({
      type: 'progress',
      task: `epoch ${epoch}/${epochs}`,
      done: start + batchSize,
      total,
      unit: 'images',
      remark: `loss ${loss.toFixed(3)}`,
    });
    await new Promise(setImmediate); // lets Ctrl-C and finalizers run
  }
}
console.log(`test accuracy ${(100 * accuracy()).toFixed(2)}%`);

function accuracy(): number {
  network.eval();
  let right = 0;
  for (let start = 0; start < test.labels.length; start += 1000) {
    right += tidy(() => {
      const [images, labels] = batch(
        test,
        Int32Array.from({ length: 1000 }, (_, i) => start + i),
      );
      return noGrad(() => network.forward(images).argmax(1).eq(labels).sum().toNumber());
    });
  }
  return right / test.labels.length;
}

function batch(digits: Mnist, indices: Int32Array): [Tensor, Tensor] {
  const pixels = new Uint8Array(indices.length * 784);
  for (const [i, index] of indices.entries())
    pixels.set(digits.pixels.subarray(index * 784, (index + 1) * 784), i * 784);
  const images = tensor(pixels, { shape: [indices.length, 1, 28, 28] })
    .to('float32')
    .div(255);
  return [images, tensor(BigInt64Array.from(indices, (index) => BigInt(digits.labels[index] ?? 0)))];
}
