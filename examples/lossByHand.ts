// The any-class loss and its gradient in plain TypeScript, without libtorch; also runs in a browser.
//
//   node examples/dist/lossByHand.js

import { anyClassLoss, anyClassProbability } from '@anyclass/core';

const classes = 3;
const logits = new Float64Array([2, -1, 0.5, -2, -3, -0.5]); // two images, three classes
const targets = new Float64Array([1, 0, 1, 0, 0, 0]); // the second image is negative

for (const lambda of [0, 0.02, 1]) {
  const gradient = new Float64Array(logits.length);
  const { loss } = anyClassLoss(logits, targets, { classes, base: 'bce', lambda, gradient });
  const present = anyClassProbability(logits.subarray(0, classes), targets.subarray(0, classes), lambda);
  console.log(`λ ${lambda}: loss ${loss.toFixed(4)}, p(any class) of the first image ${present.toFixed(4)}`);
  console.log(`  gradient ${Array.from(gradient, (value) => value.toFixed(3)).join(' ')}`);
}
