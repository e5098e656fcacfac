// Trains your own network with the any-class loss in your own loop, and exports it to ONNX.
//
//   node examples/dist/ownNetwork.js own.onnx

import { nn, optim, randn, setSeed, stack, tidy } from '@anyclass/torch';
import { exportNetwork } from 'anyclass';
import { anyClassLoss, namedLoss } from 'anyclass/losses';

const [out = 'own.onnx'] = process.argv.slice(2);
const size = 16;
const classes = ['bright', 'reddish'];

setSeed(1);
const network = new nn.Sequential(
  new nn.Conv2d(3, 8, { kernel: 3, padding: 1 }),
  new nn.ReLU(),
  new nn.MaxPool2d({ kernel: 4 }),
  new nn.Flatten(),
  new nn.Linear(8 * (size / 4) ** 2, classes.length),
);
const optimizer = new optim.AdamW(network.parameters(), { lr: 1e-2 });

for (let step = 1; step <= 60; step++) {
  const loss = tidy(() => {
    const images = randn([32, 3, size, size]).add(randn([32, 3, 1, 1])); // noise of random brightness and color
    const means = images.mean([2, 3]);
    const bright = means.mean([1]).gt(0.7);
    const reddish = means.select(1, 0).gt(1.2);
    const targets = stack([bright, reddish], 1);
    const loss = anyClassLoss(network.forward(images), targets, namedLoss('any-bce'));
    optimizer.zeroGrad();
    loss.backward();
    optimizer.step();
    return loss.toNumber();
  });
  if (step % 20 === 0) console.log(`step ${step}: loss ${loss.toFixed(3)}`);
}

const description = { classes, channels: 3, mean: [0, 0, 0], std: [1, 1, 1] } as const;
const { bytes } = await exportNetwork(network, { description, inputSize: size, out });
console.log(`${out}: ${bytes} bytes`);
