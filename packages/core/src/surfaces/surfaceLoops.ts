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
    for (let k = 0; k < first.length; k++) {
      const odds = firstOdds[k]! * b;
      const logit = first[k]! + second[i]!;
      const overflows = odds === Number.POSITIVE_INFINITY;
      const loss = overflows ? -logit : Math.log1p(odds);
      // log(1 - q) = log odds + log q, so the general power costs an exp and not a pow.
      const focus = gamma === 0 || overflows ? 1 : Math.exp(-gamma * (logit + loss));
      values[n]! += share * focus * loss;
      n++;
    }
  }
}

export function addScaled(values: FloatArray, added: Float64Array, scale: number): void {
  for (let n = 0; n < values.length; n++) values[n]! += scale * added[n]!;
}

/** exp(-loss) of each loss; `values` may be `losses` itself. */
export function expOfMinus(losses: FloatArray, values: FloatArray): void {
  for (let n = 0; n < values.length; n++) values[n] = Math.exp(-losses[n]!);
}
