import type { LossPasses } from './lossPasses.js';

/** How the rows' losses become one. */
export type Reduction =
  /** Σ w̃ J / (Σ y + number of rows without a class), the paper's. */
  | 'batch'
  /** Σ w̃ J / number of rows with a known label. */
  | 'mean'
  | 'sum'
  /** No reduction: the gradient of each row is that of its own loss. */
  | 'none'
  /** Σ w̃ J / denominator: for a batch spread over processes, the sum of all their denominators. */
  | { readonly denominator: number };

/** What the sum of the rows' losses is divided by; 0 where no label is known. */
export function denominatorOf(reduction: Reduction, { presences, labeledRows }: LossPasses): number {
  if (reduction === 'batch') return presences;
  if (reduction === 'mean') return labeledRows;
  if (reduction === 'sum' || reduction === 'none') return 1;
  if (!(reduction.denominator > 0 && reduction.denominator < Number.POSITIVE_INFINITY)) {
    throw new RangeError(`reduction.denominator is ${reduction.denominator}; expected a positive number`);
  }
  return reduction.denominator;
}
