// Activated batch norm with the GPU kernels in packages/anyclass/native: two passes over the maps forward, two backward,
// with only the input kept in between. At the end of a residual block, the kernels also scale by squeeze-and-excitation, add the residual and
// rectify, so that none of the maps in between is written.

import type { distributed, nn, Tensor } from '@anyclass/torch';
import type { FusedOperator } from '../../kernels/fusedLibrary.js';
import { gpuOperator, isForKernels } from './gpuOperator.js';

/** The operator's arguments, checked with `isFusable`. */
export interface FusedNormValues {
  readonly input: Tensor;
  readonly weight: Tensor;
  readonly bias: Tensor;
  readonly runningMean: Tensor;
  readonly runningVar: Tensor;
  /** An int64 that counts the batches. */
  readonly numBatchesTracked: Tensor;
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

/** The two layers of squeeze-and-excitation. */
export interface ExcitationLayers {
  readonly fc1: nn.Conv2d;
  readonly fc2: nn.Conv2d;
}

const operator = gpuOperator('activated_batch_norm');
const residualOperator = gpuOperator('residual_batch_norm');
const excitedOperator = gpuOperator('excited_batch_norm');

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
  const { input, momentum, eps, slope, absoluteWeight, group } = values;
  const found = checked(operator());
  const number = group?.number ?? null;
  const [output] = found(input, ...tensorsOf(values), momentum, eps, slope, absoluteWeight, number);
  return output!;
}

/**
 * Computes relu(batchNorm(input) + residual) with the batch's statistics, and updates the running statistics.
 *
 * @example
 * fusedResidualNorm({ input, weight, bias, … }, residual)
 */
export function fusedResidualNorm(values: FusedNormValues, residual: Tensor): Tensor {
  const { input, momentum, eps, absoluteWeight } = values;
  const found = checked(residualOperator());
  const [output] = found(input, residual, ...tensorsOf(values), momentum, eps, absoluteWeight);
  return output!;
}

/**
 * Computes s · activation(batchNorm(input)), or with a residual relu(s · activation(batchNorm(input)) + residual), where squeeze-and-excitation gives s:
 * sigmoid(fc2(relu(fc1(means)))).
 *
 * @example
 * fusedExcitedNorm({ input, weight, bias, slope: 1e-3, … }, squeezeExcite, null)
 */
export function fusedExcitedNorm(
  values: FusedNormValues & { readonly slope: number },
  { fc1, fc2 }: ExcitationLayers,
  residual: Tensor | null,
): Tensor {
  const { input, momentum, eps, slope, absoluteWeight } = values;
  const layers = [fc1.weight, fc1.bias, fc2.weight, fc2.bias];
  const found = checked(excitedOperator());
  const [output] = found(
    input,
    residual,
    ...tensorsOf(values),
    ...layers,
    momentum,
    eps,
    slope,
    absoluteWeight,
  );
  return output!;
}

/** The tensors of a norm, in the order of every operator. */
function tensorsOf(values: FusedNormValues): Tensor[] {
  const { weight, bias, runningMean, runningVar, numBatchesTracked, finished } = values;
  return [weight, bias, runningMean, runningVar, numBatchesTracked, finished];
}

function checked(found: FusedOperator | null): FusedOperator {
  if (found === null)
    throw new Error('the fused library was built without a CUDA compiler; check isFusable first');
  return found;
}
