// Loops over a row of a grid, without unnecessary calls or branches. `first` varies along the row, and `second` is the
// other side's value for the whole row; `values` belongs to the whole grid, and `at` is where the row starts.

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

/** first + second + scale · added: the corresponding loss. */
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

/** Probabilities whose odds against are the products of the two sides' odds. */
export function sigmoidRow(row: Float64Array, firstOdds: Float64Array, secondOdds: number): void {
  for (let k = 0; k < row.length; k++) row[k] = 1 / (1 + firstOdds[k]! * secondOdds);
}

export function expRow(row: Float64Array, exponents: Float64Array, scale: number): void {
  for (let k = 0; k < row.length; k++) row[k] = Math.exp(scale * exponents[k]!);
}

/**
 * Adds share · (1 - q)^γ (-log q), where q is the sigmoid of the sum of the two sides' logits. If their odds against
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
    // 1 - q = odds / (1 + odds); its logarithm is log odds - loss, so a general power costs an exp rather than a pow.
    let focus = share;
    if (gamma === 2 && !overflows) focus *= (odds / (1 + odds)) ** 2;
    else if (gamma !== 0 && !overflows) focus *= Math.exp(-gamma * (first[k]! + second + loss));
    row[k]! += focus * loss;
  }
}
