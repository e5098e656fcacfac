// How a loss on tensors is balanced, reduced and masked.

import type { LossOptions } from '@anyclass/core';
import type { Tensor } from '@anyclass/torch';

/** How the rows' losses are combined. */
export type LossReduction =
  /** Σ w̃ J / (Σ y + number of rows without a class), as in the paper. */
  | 'batch'
  /** Σ w̃ J / number of rows with a known label. */
  | 'mean'
  | 'sum'
  /** One loss per row. */
  | 'none';

/** A weight for each class, and one for rows without any class, as returned by `effectiveNumberWeights`. */
export interface LossBalance {
  /** Numbers are copied to the logits' device at each call; inside a captured step, pass a tensor already on that device. */
  readonly classWeights: Tensor | ArrayLike<number>;
  readonly negativeWeight: number;
}

export interface AnyClassLossOptions extends LossOptions {
  /** Class weights from which row weights are computed; all 1 if left out. */
  readonly balance?: LossBalance;
  /** Default 'batch'. */
  readonly reduction?: LossReduction;
  /** 0 where a label is unknown; bool or uint8. A target of NaN means the same and costs nothing. */
  readonly mask?: Tensor;
  /**
   * How much each row counts, [rows]. Denominators count every row as 1, so weights should have a
   * mean of 1.
   */
  readonly weights?: Tensor | undefined;
}
