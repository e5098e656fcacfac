// The loops over a row of a grid, without a call or a branch more than needed. `first` runs along the row, `second` is
// what the other side gives to all of it; `values` are those of the whole grid, `at` is where the row begins.

import type { FloatArray } from '../arrays/rowMajor.js';

export function sumRow(values: FloatArray, at: number, first: Float64Array, second: number): void {
  for (let k = 0; k < first.length; k++) values[at + k] = first[k]! + second;
}

export function productRow(values: FloatArray, at: number, first: Float64Array, second: number): void {
  for (let k = 0; k < first.length; k++) values[at + k] = first[k]! * second;
}

export function copyRow(values: FloatArray, at: number, row: Float64Array): void {
  for (let k = 0; k < row.length; k++) values[at + k] = row[k]!;
}

/** first · second · factor: the likelihood of both classes and of their combination. */
export function weightedRow(
  values: FloatArray,
  at: number,
  first: Float64Array,
  second: number,
  factors: Float64Array,
): void {
  for (let k = 0; k < first.length; k++) values[at + k] = first[k]! * second * factors[k]!;
}

/** first + second + scale · added: the loss of the same. */
export function weightedSumRow(
  values: FloatArray,
  at: number,
  first: Float64Array,
  second: number,
  added: Float64Array,
  scale: number,
): void {
  for (let k = 0; k < first.length; k++) values[at + k] = first[k]! + second + scale * added[k]!;
}

/** The probabilities whose odds against are products of the two sides'. */
export function sigmoidRow(row: Float64Array, firstOdds: Float64Array, secondOdds: number): void {
  for (let k = 0; k < row.length; k++) row[k] = 1 / (1 + firstOdds[k]! * secondOdds);
}

export function expRow(row: Float64Array, exponents: Float64Array, scale: number): void {
  for (let k = 0; k < row.length; k++) row[k] = Math.exp(scale * exponents[k]!);
}

/**
 * Adds share · (1 - q)^γ (-log q), q being the sigmoid of the sum of the two sides' logits. Where their odds against
 * overflow, -log q is minus that sum.
 */
export function addLossRow(
  row: Float64Array,
  first: Float64Array,
  firstOdds: Float64Array,
  second: number,
  secondOdds: number,
  share: number,
  gamma: number,
): void {
  for (let k = 0; k < row.length; k++) {
    const odds = firstOdds[k]! * secondOdds;
    const overflows = odds === Number.POSITIVE_INFINITY;
    const loss = overflows ? -(first[k]! + second) : Math.log1p(odds);
    // 1 - q = odds / (1 + odds); its logarithm is log odds - loss, so a general power costs an exp and not a pow.
    let focus = share;
    if (gamma === 2 && !overflows) focus *= (odds / (1 + odds)) ** 2;
    else if (gamma !== 0 && !overflows) focus *= Math.exp(-gamma * (first[k]! + second + loss));
    row[k]! += focus * loss;
  }
}
