// The batch with which the method's values were checked by hand.

import { effectiveNumberWeights } from '@anyclass/core';

export const handLogits = [
  [2, -1, 0.5],
  [-2, -3, -0.5],
  [1.5, 0.25, -4],
];

export const handTargets = [
  [1, 0, 1],
  [0, 0, 0],
  [0, 1, 0],
];

export const handBalance = effectiveNumberWeights([10, 100, 1000], 5000);
