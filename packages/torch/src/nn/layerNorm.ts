// Ba et al., "Layer Normalization", arXiv 1607.06450.

import { ones, zeros } from '../operators/creation.js';
import { layerNorm } from '../tensor/operators.generated.js';
import type { Tensor } from '../tensor/tensor.js';
import { Module } from './module.js';
import { Parameter } from './parameter.js';

export interface LayerNormOptions {
  readonly eps?: number;
  readonly affine?: boolean;
}

/**
 * Normalizes each row over its last dimensions.
 *
 * @example
 * new LayerNorm(4).forward(tensor([[1, 2, 3, 4]])) // [[-1.3416, -0.4472, 0.4472, 1.3416]]
 */
export class LayerNorm extends Module {
  readonly weight: Parameter | null;
  readonly bias: Parameter | null;
  readonly eps: number;
  readonly #shape: readonly number[];

  constructor(shape: number | readonly number[], { eps = 1e-5, affine = true }: LayerNormOptions = {}) {
    super();
    this.#shape = typeof shape === 'number' ? [shape] : shape;
    this.weight = affine ? new Parameter(ones(this.#shape)) : null;
    this.bias = affine ? new Parameter(zeros(this.#shape)) : null;
    this.eps = eps;
  }

  forward(input: Tensor): Tensor {
    return layerNorm(input, this.#shape, this.weight, this.bias, this.eps);
  }
}
