import { binaryTerm } from './binaryTerm.js';
import type { FloatArray } from './lossArguments.js';
import type { LossRows } from './lossRows.js';
import type { RowPresence } from './rowPresence.js';

/** A batch whose rows are described, and what to compute on it. */
export interface TermsOfBatch {
  readonly logits: FloatArray;
  readonly targets: ArrayLike<number>;
  readonly classes: number;
  readonly alpha: number;
  readonly gamma: number;
  readonly presence: RowPresence;
  readonly rows: LossRows;
  /** The factor of every row's gradient: 1 / denominator. */
  readonly scale: number;
  readonly gradient: FloatArray | undefined;
}

/** Computes each row's loss and, where asked, the gradient: the classes' terms and α times the any-class term. */
export function rowTerms({ logits, targets, classes, alpha, gamma, ...batch }: TermsOfBatch): void {
  const { presence, rows, scale, gradient } = batch;
  const term = new Float64Array(2);
  for (let row = 0; row < rows.weights.length; row++) {
    const isLabelled = presence.presentShares[row]! > 0;
    binaryTerm(presence.logits[row]!, presence.targets[row]!, gamma, term);
    const anyLoss = isLabelled ? term[0]! : 0;
    const rowScale = scale * rows.weights[row]!;
    // d z* / d z_j is the class's share of the weights, which runs from the absent to the present one's.
    const absentSlope = alpha * term[1]! * presence.absentShares[row]!;
    const presentSlope = alpha * term[1]! * presence.presentShares[row]!;
    let baseLoss = 0;
    const end = (row + 1) * classes;
    for (let i = row * classes; i < end; i++) {
      const target = targets[i]!;
      if (Number.isNaN(target)) {
        if (gradient !== undefined) gradient[i] = 0;
        continue;
      }
      binaryTerm(logits[i]!, target, gamma, term);
      baseLoss += term[0]!;
      if (gradient !== undefined) {
        gradient[i] = rowScale * (term[1]! + target * presentSlope + (1 - target) * absentSlope);
      }
    }
    rows.base[row] = baseLoss;
    rows.anyClass[row] = anyLoss;
    rows.losses[row] = rows.weights[row]! * (baseLoss + alpha * anyLoss);
  }
}
