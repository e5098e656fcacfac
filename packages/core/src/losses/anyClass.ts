// Any-class presence. Tissera et al., "Any-Class Presence Likelihood for Robust Multi-Label Classification with
// Abundant Negative Data", arXiv 2506.05721, extended to soft and unknown labels:
//
// - a row is as positive as its most certain class, y_a = max y_j (label smoothing must not turn a negative row positive,
//   as 1 - Π (1 - y_j) would with many classes);
// - between absent and present, weights are interpolated: w_j = y_j + (1 - y_j) λ', λ' = y_a λ + (1 - y_a);
// - an unknown label (NaN) is left out of both; if it could turn a row positive, the row is undecided and has no
//   any-class term.
//
// With labels of 0 and 1 this is the paper's definition; on a negative row λ' is 1 (as printed, λ = 0 would be 0/0).

import { sigmoid } from './logisticTerms.js';
import { checkShare, checkTarget } from './lossArguments.js';

/**
 * Returns the logit of 'any class is present'.
 *
 * The any-class probability is a normalized weighted geometric mean of the class probabilities (eq. 4),
 *
 *     p_a = G(p) / (G(p) + G(1 - p)),   G(q) = Π q_j^(w_j / Σw)
 *
 * and since (1 - p_j) / p_j = exp(-z_j), it is the sigmoid of the weighted mean of the logits (eq. 21).
 * We compute that mean and never the products, which underflow.
 *
 * A present class has weight 1, an absent one λ. In a negative instance every class has weight 1, so λ has no effect.
 *
 * @example
 * anyClassLogit([2, -1, 0.5], [1, 0, 1], 0.02) // 1.2277227722772277
 */
export function anyClassLogit(logits: ArrayLike<number>, targets: ArrayLike<number>, lambda: number): number {
  if (logits.length !== targets.length) {
    throw new RangeError(
      `${logits.length} logits and ${targets.length} targets; expected the same number of each`,
    );
  }
  checkShare('lambda', lambda);
  const absent = absentWeight(presence(targets), lambda);
  let weighted = 0;
  let total = 0;
  for (let j = 0; j < logits.length; j++) {
    const target = targets[j]!;
    if (Number.isNaN(target)) continue;
    const weight = target + (1 - target) * absent;
    weighted += weight * logits[j]!;
    total += weight;
  }
  if (total === 0) throw new RangeError('targets has no known label; expected one or more that are not NaN');
  return weighted / total;
}

/**
 * Returns the probability of 'any class is present'.
 *
 * @example
 * anyClassProbability([2, -1, 0.5], [1, 0, 1], 0.02) // 0.7734197576486308
 */
export function anyClassProbability(
  logits: ArrayLike<number>,
  targets: ArrayLike<number>,
  lambda: number,
): number {
  return sigmoid(anyClassLogit(logits, targets, lambda));
}

/** Returns the weight of an absent class in a row whose any-class target is `anyTarget`. */
export function absentWeight(anyTarget: number, lambda: number): number {
  return anyTarget * lambda + (1 - anyTarget);
}

/** Whether a row is known to be positive or negative: y_a is at least 0.5, or no label is unknown. */
export function isDecided(anyTarget: number, known: number, classes: number): boolean {
  return anyTarget >= 0.5 || known === classes;
}

function presence(targets: ArrayLike<number>): number {
  let anyTarget = 0;
  for (let j = 0; j < targets.length; j++) {
    const target = targets[j]!;
    checkTarget(target, 0, j);
    if (target > anyTarget) anyTarget = target;
  }
  return anyTarget;
}
