// Batch norm with the statistics of all ranks, using the operator in packages/anyclass/native.

import type { distributed, Tensor } from '@anyclass/torch';
import { type FusedOperator, fusedOperator } from '../../kernels/fusedLibrary.js';

export interface SynchronizedNorm {
  readonly bias: Tensor;
  readonly runningMean: Tensor;
  readonly runningVar: Tensor;
  readonly momentum: number;
  readonly eps: number;
}

let operator: FusedOperator | undefined;

/**
 * Computes batchNorm(input) in training, for maps [images, channels, …] of a batch that is split over ranks. A rank without
 * images takes part with an empty map.
 *
 * @example
 * synchronizedBatchNorm(input, norm.weight, norm, group)
 */
export function synchronizedBatchNorm(
  input: Tensor,
  scale: Tensor,
  { bias, runningMean, runningVar, momentum, eps }: SynchronizedNorm,
  group: distributed.ProcessGroup,
): Tensor {
  operator ??= fusedOperator('synchronized_batch_norm');
  // Half-precision maps are normalized in the dtype of the norm's weights.
  const maps = input.to(bias.dtype);
  const [output] = operator(maps, scale, bias, runningMean, runningVar, group.number, momentum, eps);
  return output!.to(input.dtype);
}
