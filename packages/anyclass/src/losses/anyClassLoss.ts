// The any-class presence likelihood losses on tensors. Tissera et al., "Any-Class Presence Likelihood for Robust
// Multi-Label Classification with Abundant Negative Data", arXiv 2506.05721. Gives the same results as @anyclass/core,
// with one fused kernel each for forward and backward.

import { lossParts } from '@anyclass/core';
import { Tensor, tensor } from '@anyclass/torch';
import { type FusedResult, fusedLoss } from './fusedOperator.js';
import { checkBalance, checkTensors, checkWeights } from './lossArguments.js';
import type { AnyClassLossOptions, LossReduction } from './lossOptions.js';

/**
 * Computes the loss of logits [rows, classes] against targets of the same shape: 0 and 1, soft labels in between, or NaN
 * if unknown; uint8, bool or float. float16 and bfloat16 logits are computed in float32, and the loss is float32 too.
 *
 * A row whose unknown labels could turn it positive has no any-class term; a row without any known label is ignored.
 *
 * @example
 * const logits = tensor([[2, -1, 0.5], [-2, -3, -0.5], [1.5, 0.25, -4]], { requiresGrad: true });
 * const targets = tensor([[1, 0, 1], [0, 0, 0], [0, 1, 0]]);
 * const balance = effectiveNumberWeights([10, 100, 1000], 5000);
 * const loss = anyClassLoss(logits, targets, { ...namedLoss('any-focal'), balance });
 * loss.toNumber() // 0.2193053
 * loss.backward();
 */
export function anyClassLoss(logits: Tensor, targets: Tensor, options: AnyClassLossOptions): Tensor {
  const { reduction = 'batch', weights } = options;
  if (weights && (reduction === 'batch' || reduction === 'mean')) {
    const { numerator, denominator } = anyClassSums(logits, targets, { ...options, reduction });
    return numerator.div(denominator);
  }
  const { loss, counts } = compute(logits, targets, options, reduction);
  counts.dispose();
  return loss;
}

/** The two sums whose quotient is a reduced loss. */
export interface LossSums {
  /** Σ w̃ J, differentiable. */
  readonly numerator: Tensor;
  /**
   * Σ y + number of rows without a class, or for 'mean' the number of rows with a known label. If that is 0, it is 1e-30
   * instead: too small to change a sum of denominators, but the quotient and its gradient are 0, not NaN.
   */
  readonly denominator: Tensor;
}

const SMALLEST_DENOMINATOR = 1e-30;

/**
 * Returns the numerator and denominator of the loss separately, for a batch split over processes, which sum their
 * denominators and then get the same loss and gradient as one process. Both stay on the device.
 *
 * @example
 * const { numerator, denominator } = anyClassSums(logits, targets, { base: 'bce' });
 * numerator.div(denominator) // anyClassLoss(logits, targets, { base: 'bce' })
 */
export function anyClassSums(
  logits: Tensor,
  targets: Tensor,
  options: AnyClassLossOptions & { readonly reduction?: 'batch' | 'mean' },
): LossSums {
  const { loss, counts } = compute(logits, targets, options, 'sum');
  const denominator = counts.at(options.reduction === 'mean' ? 1 : 0).clamp(SMALLEST_DENOMINATOR);
  return { numerator: loss, denominator };
}

function compute(
  logits: Tensor,
  targets: Tensor,
  options: AnyClassLossOptions,
  reduction: LossReduction,
): FusedResult {
  const { balance, mask, weights } = options;
  checkTensors(logits, targets, mask);
  if (weights) {
    checkWeights(weights, logits);
    const { weights: _, ...unweighted } = options;
    const rows = compute(logits, targets, unweighted, 'none');
    const weighted = rows.loss.mul(weights);
    return { loss: reduction === 'none' ? weighted : weighted.sum(), counts: rows.counts };
  }
  const parts = lossParts(options);
  checkBalance(options, logits);
  const classWeights = balance === undefined ? null : onDevice(balance.classWeights, logits);
  return fusedLoss({
    logits,
    targets,
    mask: mask ?? null,
    classWeights,
    negativeWeight: balance?.negativeWeight ?? 1,
    parts,
    reduction,
  });
}

function onDevice(weights: Tensor | ArrayLike<number>, logits: Tensor): Tensor {
  if (weights instanceof Tensor) return weights;
  const dtype = logits.dtype === 'float64' ? 'float64' : 'float32';
  return tensor(Float64Array.from(weights), { dtype, device: logits.device });
}
