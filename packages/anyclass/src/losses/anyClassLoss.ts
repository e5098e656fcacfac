// The any-class presence likelihood losses on tensors. Tissera et al., "Any-Class Presence Likelihood for Robust
// Multi-Label Classification with Abundant Negative Data", arXiv 2506.05721. The same figures as @anyclass/core's, by
// one fused kernel each way.

import { type LossOptions, lossParts } from '@anyclass/core';
import { Tensor, tensor } from '@anyclass/torch';
import { type FusedResult, fusedLoss } from './fusedOperator.js';
import { checkBalance, checkTensors } from './lossArguments.js';

/** How the rows' losses become one. */
export type LossReduction =
  /** Σ w̃ J / (Σ y + number of rows without a class), the paper's. */
  | 'batch'
  /** Σ w̃ J / number of rows with a known label. */
  | 'mean'
  | 'sum'
  /** One loss a row. */
  | 'none';

/** A weight for each class and one for the rows that have none, as `effectiveNumberWeights` gives them. */
export interface LossBalance {
  /** Numbers are copied to the logits' device at each call; inside a captured step give a tensor that is there. */
  readonly classWeights: Tensor | ArrayLike<number>;
  readonly negativeWeight: number;
}

export interface AnyClassLossOptions extends LossOptions {
  /** Row weights from class weights; all 1 when left out. */
  readonly balance?: LossBalance;
  /** Default 'batch'. */
  readonly reduction?: LossReduction;
  /** 0 where a label is unknown, bool or uint8. A target of NaN says the same and costs nothing. */
  readonly mask?: Tensor;
}

/**
 * The loss of logits [rows, classes] against targets of the same shape: 0 and 1, soft labels between, NaN where
 * unknown; uint8, bool or float. float16 and bfloat16 logits are computed in float32, and so is the loss.
 *
 * A row whose unknown labels could turn it positive has no any-class term; a row without a known label counts nowhere.
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
  const { loss, counts } = compute(logits, targets, options, options.reduction ?? 'batch');
  counts.dispose();
  return loss;
}

/** The two sums that a reduced loss is the quotient of. */
export interface LossSums {
  /** Σ w̃ J, differentiable. */
  readonly numerator: Tensor;
  /**
   * Σ y + number of rows without a class, or for 'mean' the rows with a known label. Where there are none it is not 0 but
   * 1e-30: too small to change a sum of denominators, and the quotient and its gradient are 0, not NaN.
   */
  readonly denominator: Tensor;
}

const SMALLEST_DENOMINATOR = 1e-30;

/**
 * Numerator and denominator of the loss apart: for a batch spread over processes, which add up their denominators and
 * then have the loss and gradient of one. Both stay on the device.
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
  const { balance, mask } = options;
  checkTensors(logits, targets, mask);
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
