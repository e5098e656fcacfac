import { empty } from '../operators/creation.js';
import { embedding } from '../tensor/operators.generated.js';
import type { Tensor } from '../tensor/tensor.js';
import { normal_ } from './init.js';
import { Module } from './module.js';
import { Parameter } from './parameter.js';

/**
 * A table of vectors, looked up by int64 positions.
 *
 * @example
 * new Embedding(10, 4).forward(tensor([1n, 7n])).shape // [2, 4]
 */
export class Embedding extends Module {
  readonly weight: Parameter;

  constructor(count: number, width: number) {
    super();
    this.weight = new Parameter(empty([count, width]));
    normal_(this.weight);
  }

  forward(positions: Tensor): Tensor {
    return embedding(this.weight, positions);
  }
}
