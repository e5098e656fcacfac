// The logistic function and its logarithm. Both are computed from exp(-|z|), which cannot overflow and preserves the
// relative accuracy of the smaller of p and 1 - p.

/**
 * Returns the probability of a logit.
 *
 * @example
 * sigmoid(2) // 0.8807970779778823
 */
export function sigmoid(logit: number): number {
  const small = Math.exp(-Math.abs(logit));
  return logit >= 0 ? 1 / (1 + small) : small / (1 + small);
}

/**
 * Returns log(1 + exp(z)), which is -log(1 - sigmoid(z)); the loss of a present class is softplus(-z).
 *
 * @example
 * softplus(2) // 2.1269280110429722
 */
export function softplus(logit: number): number {
  return Math.max(logit, 0) + Math.log1p(Math.exp(-Math.abs(logit)));
}

/**
 * Returns the logit of a probability; 0 and 1 give -Infinity and Infinity.
 *
 * @example
 * logit(0.8807970779778823) // 2 up to rounding
 */
export function logit(probability: number): number {
  return Math.log(probability) - Math.log1p(-probability);
}
