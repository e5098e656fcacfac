// The loops over a grid's points, without a call or a branch more than needed. Entry (i, k) of `values` takes
// `first[k]` and `second[i]`.

import type { FloatArray } from '../arrays/rowMajor.js';

export function outerSum(values: FloatArray, first: Float64Array, second: Float64Array): void {
  let n = 0;
  for (let i = 0; i < second.length; i++) {
    const b = second[i]!;
    for (let k = 0; k < first.length; k++) values[n++] = first[k]! + b;
  }
}

export function outerProduct(values: FloatArray, first: Float64Array, second: Float64Array): void {
  let n = 0;
  for (let i = 0; i < second.length; i++) {
    const b = second[i]!;
    for (let k = 0; k < first.length; k++) values[n++] = first[k]! * b;
  }
}

/** The probabilities whose odds against are products of the two sides'. */
export function outerSigmoid(values: FloatArray, first: Float64Array, second: Float64Array): void {
  let n = 0;
  for (let i = 0; i < second.length; i++) {
    const b = second[i]!;
    for (let k = 0; k < first.length; k++) values[n++] = 1 / (1 + first[k]! * b);
  }
}

/**
 * Adds share · (1 - q)^γ (-log q) with q = sigmoid(first + second). The exponential is taken along the sides, not at
 * every point, since exp(-a - b) = exp(-a) exp(-b); where that overflows, -log q is -(a + b).
 */
export function addTruthLosses(
  values: Float64Array,
  first: Float64Array,
  second: Float64Array,
  share: number,
  gamma: number,
): void {
  const firstOdds = first.map((logit) => Math.exp(-logit));
  const secondOdds = second.map((logit) => Math.exp(-logit));
  let n = 0;
  for (let i = 0; i < second.length; i++) {
    const b = secondOdds[i]!;
    const logitB = second[i]!;
    for (let k = 0; k < first.length; k++) {
      const odds = firstOdds[k]! * b;
      const overflows = odds === Number.POSITIVE_INFINITY;
      const loss = overflows ? -(first[k]! + logitB) : Math.log1p(odds);
      // 1 - q = odds / (1 + odds); its logarithm is log odds - loss, so a general power costs an exp and not a pow.
      let focus = share;
      if (gamma === 2 && !overflows) focus *= (odds / (1 + odds)) ** 2;
      else if (gamma !== 0 && !overflows) focus *= Math.exp(-gamma * (first[k]! + logitB + loss));
      values[n]! += focus * loss;
      n++;
    }
  }
}

/** first + second + scale · added: the loss of both classes and of their combination. */
export function outerSumWith(
  values: FloatArray,
  first: Float64Array,
  second: Float64Array,
  added: Float64Array,
  scale: number,
): void {
  let n = 0;
  for (let i = 0; i < second.length; i++) {
    const b = second[i]!;
    for (let k = 0; k < first.length; k++) {
      values[n] = first[k]! + b + scale * added[n]!;
      n++;
    }
  }
}

/** exp(-loss) of each loss. */
export function expOfMinus(losses: Float64Array, values: FloatArray): void {
  for (let n = 0; n < values.length; n++) values[n] = Math.exp(-losses[n]!);
}
