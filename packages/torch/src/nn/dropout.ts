// Srivastava et al., "Dropout: A Simple Way to Prevent Neural Networks from Overfitting", and
// Huang et al., "Deep Networks with Stochastic Depth", arXiv 1603.09382.

import { empty } from '../operators/creation.js';
import { dropout } from '../tensor/operators.generated.js';
import type { Tensor } from '../tensor/tensor.js';
import { Module } from './module.js';

/** Zeroes each element with a probability in training, and scales the rest up. */
export class Dropout extends Module {
  readonly probability: number;

  constructor(probability = 0.5) {
    super();
    this.probability = checkedProbability('Dropout', probability);
  }

  forward(input: Tensor): Tensor {
    return dropout(input, this.probability, this.training);
  }
}

/** Zeroes whole rows of a batch with a probability in training ('row' mode), and scales the rest up. */
export class StochasticDepth extends Module {
  readonly probability: number;

  constructor(probability: number) {
    super();
    this.probability = checkedProbability('StochasticDepth', probability);
  }

  forward(input: Tensor): Tensor {
    if (!this.training || this.probability === 0) return input;
    const survival = 1 - this.probability;
    const rows = input.shape.map((size, dimension) => (dimension === 0 ? size : 1));
    const kept = empty(rows, { dtype: input.dtype, device: input.device }).bernoulli_(survival);
    return input.mul(survival > 0 ? kept.div_(survival) : kept);
  }
}

function checkedProbability(layer: string, probability: number): number {
  if (probability >= 0 && probability <= 1) return probability;
  throw new RangeError(`${layer}: the probability must lie in [0, 1], not ${probability}`);
}
