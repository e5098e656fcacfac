// Ioffe & Szegedy, "Batch Normalization", arXiv 1502.03167.

import { noGrad } from '../autograd/autograd.js';
import { ones, zeros } from '../operators/creation.js';
import { keep } from '../tensor/memory.js';
import { batchNorm } from '../tensor/operators.generated.js';
import type { Tensor } from '../tensor/tensor.js';
import { Module } from './module.js';
import { Parameter } from './parameter.js';

export interface BatchNorm2dOptions {
  readonly eps?: number;
  /** The weight of the newest batch in the running statistics. */
  readonly momentum?: number;
  readonly affine?: boolean;
}

/**
 * Normalizes each channel by the batch's statistics in training and by running ones in evaluation.
 *
 * @example
 * new BatchNorm2d(8).forward(randn([4, 8, 5, 5])).mean().toNumber() // about 0
 */
export class BatchNorm2d extends Module {
  readonly weight: Parameter | null;
  readonly bias: Parameter | null;
  readonly runningMean: Tensor;
  readonly runningVar: Tensor;
  readonly numBatchesTracked: Tensor;
  readonly eps: number;
  readonly momentum: number;

  constructor(channels: number, { eps = 1e-5, momentum = 0.1, affine = true }: BatchNorm2dOptions = {}) {
    super();
    this.weight = affine ? new Parameter(ones([channels])) : null;
    this.bias = affine ? new Parameter(zeros([channels])) : null;
    this.runningMean = keep(zeros([channels]));
    this.runningVar = keep(ones([channels]));
    this.numBatchesTracked = keep(zeros([], { dtype: 'int64' }));
    this.eps = eps;
    this.momentum = momentum;
  }

  forward(input: Tensor): Tensor {
    if (this.training) noGrad(() => this.numBatchesTracked.add_(1));
    const { weight, bias, runningMean, runningVar } = this;
    return batchNorm(
      input,
      weight,
      bias,
      runningMean,
      runningVar,
      this.training,
      this.momentum,
      this.eps,
      true,
    );
  }
}
