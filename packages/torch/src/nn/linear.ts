import { empty } from '../operators/creation.js';
import { linear } from '../tensor/operators.generated.js';
import type { Tensor } from '../tensor/tensor.js';
import { fan, kaimingUniform_, uniform_ } from './init.js';
import { Module } from './module.js';
import { Parameter } from './parameter.js';

export interface LinearOptions {
  readonly bias?: boolean;
}

/**
 * y = x Wᵀ + b over the last dimension.
 *
 * @example
 * new Linear(3, 2).forward(ones([5, 3])).shape // [5, 2]
 */
export class Linear extends Module {
  readonly weight: Parameter;
  readonly bias: Parameter | null;

  constructor(inputs: number, outputs: number, { bias = true }: LinearOptions = {}) {
    super();
    this.weight = new Parameter(empty([outputs, inputs]));
    this.bias = bias ? new Parameter(empty([outputs])) : null;
    initialize(this.weight, this.bias);
  }

  forward(input: Tensor): Tensor {
    return linear(input, this.weight, this.bias);
  }
}

/** PyTorch's default for linear and convolution layers: both uniform within ±1/√fan-in. */
export function initialize(weight: Parameter, bias: Parameter | null): void {
  kaimingUniform_(weight, { slope: Math.sqrt(5) });
  const bound = 1 / Math.sqrt(fan(weight, 'fanIn'));
  if (bias) uniform_(bias, -bound, bound);
}
