import type { FloatArray } from '../arrays/rowMajor.js';
import type { ClassBalance } from '../balance/effectiveNumberWeights.js';
import type { LossParts } from './lossParts.js';
import type { LossRows } from './lossRows.js';

/** A batch that passed the checks, and the buffers for its results. */
export interface LossBatch {
  readonly logits: FloatArray;
  /** 0 to 1, or NaN for unknown. */
  readonly targets: ArrayLike<number>;
  readonly classes: number;
  readonly parts: LossParts;
  readonly balance: ClassBalance | undefined;
  readonly rows: LossRows;
  readonly gradient: FloatArray | undefined;
}

/** A batch after the first pass. The second pass needs the gradient's scale, which depends on all rows. */
export interface LossPasses {
  /** The number of rows with a known label. */
  readonly labeledRows: number;
  /** Σ y + number of rows without a class: the denominator of the batch loss. */
  readonly presences: number;
  /** Computes the rows' losses and, if requested, the gradient times `scale`. */
  addTerms(scale: number): void;
}
