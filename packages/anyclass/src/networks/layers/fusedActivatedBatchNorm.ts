// Activated batch norm with the GPU kernels in packages/anyclass/native: two passes over the maps forward, two backward,
// with only the input kept in between.

import type { distributed, Tensor } from '@anyclass/torch';
import { gpuOperator, isForKernels } from './gpuOperator.js';

/** The operator's arguments, checked with `isFusable`. */
export interface FusedNormValues {
  readonly input: Tensor;
  readonly weight: Tensor;
  readonly bias: Tensor;
  readonly runningMean: Tensor;
  readonly runningVar: Tensor;
  /** int32 zeros [2, channels], with which blocks find out which of them finishes last; zero again after every use. */
  readonly finished: Tensor;
  readonly momentum: number;
  readonly eps: number;
  /** What the activation multiplies negative values by: 0 for ReLU, 1 for none; null for GELU. */
  readonly slope: number | null;
  readonly absoluteWeight: boolean;
  /** If given, statistics are taken over all of its ranks. */
  readonly group: distributed.ProcessGroup | undefined;
}

const operator = gpuOperator('activated_batch_norm');

/**
 * Whether the kernels support this input in training: channels-last maps on a GPU, float32 or half precision, with float32
 * weights and more than one value per channel.
 *
 * @example
 * isFusable(randn([2, 8, 4, 4]), ones([8])) // false: on the CPU
 */
export function isFusable(input: Tensor, weight: Tensor): boolean {
  return (
    isForKernels(input) &&
    input.ndim === 4 &&
    weight.dtype === 'float32' &&
    input.numel > weight.numel &&
    input.isContiguous('channelsLast') &&
    operator() !== null
  );
}

/**
 * Computes activation(batchNorm(input)) with the batch's statistics, and updates the running statistics.
 *
 * @example
 * if (isFusable(input, weight)) return fusedActivatedBatchNorm({ input, weight, bias, slope: 0, … });
 */
export function fusedActivatedBatchNorm(values: FusedNormValues): Tensor {
  const found = operator();
  if (found === null)
    throw new Error('the fused library was built without a CUDA compiler; check isFusable first');
  const [output] = found(
    values.input,
    values.weight,
    values.bias,
    values.runningMean,
    values.runningVar,
    values.finished,
    values.momentum,
    values.eps,
    values.slope,
    values.absoluteWeight,
    values.group?.number ?? null,
  );
  return output!;
}
