import type { LossPasses } from './lossPasses.js';

/** How the rows' losses are combined. */
export type Reduction =
  /** Σ w̃ J / (Σ y + number of rows without a class), as in the paper. */
  | 'batch'
  /** Σ w̃ J / number of rows with a known label. */
  | 'mean'
  | 'sum'
  /** No reduction: each row's gradient is that of its own loss. */
  | 'none'
  /** Σ w̃ J / denominator; for a batch split over processes, pass the sum of their denominators. */
  | { readonly denominator: number };

/** Returns what the sum of the rows' losses is divided by; 0 if no label is known. */
export function denominatorOf(reduction: Reduction, { presences, labeledRows }: LossPasses): number {
  if (reduction === 'batch') return presences;
  if (reduction === 'mean') return labeledRows;
  if (reduction === 'sum' || reduction === 'none') return 1;
  if (!(reduction.denominator > 0 && reduction.denominator < Number.POSITIVE_INFINITY)) {
    throw new RangeError(`reduction.denominator is ${reduction.denominator}; expected a positive number`);
  }
  return reduction.denominator;
}
