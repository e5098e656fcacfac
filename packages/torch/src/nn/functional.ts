// The layers' computations as functions, and losses. Plain operators are re-exported as they are.

import {
  binaryCrossEntropyWithLogits as bceOperator,
  crossEntropyLoss,
  l1Loss,
  mseLoss,
} from '../tensor/operators.generated.js';
import type { Tensor } from '../tensor/tensor.js';

export {
  adaptiveAvgPool2d,
  addmmActivation,
  avgPool2d,
  batchNorm,
  conv2d,
  cudnnConvolutionAddRelu,
  dropout,
  elu,
  embedding,
  gelu,
  groupNorm,
  hardsigmoid,
  hardswish,
  hardswish_,
  layerNorm,
  leakyRelu,
  linear,
  logSigmoid,
  logSoftmax,
  maxPool2d,
  oneHot,
  pad,
  pixelShuffle,
  pixelUnshuffle,
  relu,
  sigmoid,
  silu,
  silu_,
  softmax,
  softplus,
  tanh,
  upsampleBicubic2d,
  upsampleBilinear2d,
  upsampleNearest2d,
} from '../tensor/operators.generated.js';
export { type AttentionOptions, scaledDotProductAttention, watchAttention } from './attention.js';

export type Reduction = 'none' | 'mean' | 'sum';

/**
 * Cross entropy of logits [batch, classes] with class numbers (int64) or probabilities.
 *
 * @example
 * crossEntropy(tensor([[2, 0, 0]]), tensor([0n])).toNumber() // 0.2395…
 */
export function crossEntropy(
  logits: Tensor,
  target: Tensor,
  options: {
    readonly weight?: Tensor;
    readonly reduction?: Reduction;
    readonly labelSmoothing?: number;
  } = {},
): Tensor {
  const { weight = null, reduction, labelSmoothing } = options;
  return crossEntropyLoss(logits, target, weight, reductionCode(reduction), undefined, labelSmoothing);
}

/**
 * Binary cross entropy of logits with targets in [0, 1].
 *
 * @example
 * binaryCrossEntropyWithLogits(tensor([0]), tensor([1])).toNumber() // 0.6931…
 */
export function binaryCrossEntropyWithLogits(
  logits: Tensor,
  target: Tensor,
  options: {
    readonly weight?: Tensor;
    readonly positiveWeight?: Tensor;
    readonly reduction?: Reduction;
  } = {},
): Tensor {
  return bceOperator(
    logits,
    target,
    options.weight,
    options.positiveWeight,
    reductionCode(options.reduction),
  );
}

export function meanSquaredError(input: Tensor, target: Tensor, reduction?: Reduction): Tensor {
  return mseLoss(input, target, reductionCode(reduction));
}

export function meanAbsoluteError(input: Tensor, target: Tensor, reduction?: Reduction): Tensor {
  return l1Loss(input, target, reductionCode(reduction));
}

function reductionCode(reduction: Reduction = 'mean'): number {
  return { none: 0, mean: 1, sum: 2 }[reduction];
}
