import type { ClassBalance } from '../balance/effectiveNumberWeights.js';
import { absentWeight } from './anyClass.js';
import { checkTarget, type FloatArray } from './lossArguments.js';

/** What a row's labels say about 'any class'; one entry a row, all 0 for a row without a known label. */
export interface RowPresence {
  /** y_a. */
  readonly targets: Float64Array;
  /** z*, the any-class logit. */
  readonly logits: Float64Array;
  /** w_j / Σw of a present class. */
  readonly presentShares: Float64Array;
  /** w_j / Σw of an absent class. */
  readonly absentShares: Float64Array;
  /** The number of rows with a known label. */
  readonly labelledRows: number;
  /** Σ y + number of negatives: the denominator of the batch loss. */
  readonly presences: number;
}

/** Reads labels and logits once, ahead of the terms: the gradient's scale depends on the whole batch. */
export function rowPresence(
  logits: FloatArray,
  targets: ArrayLike<number>,
  classes: number,
  lambda: number,
  balance: ClassBalance | undefined,
  rowWeights: Float64Array,
): RowPresence {
  const rowCount = rowWeights.length;
  const presence = {
    targets: new Float64Array(rowCount),
    logits: new Float64Array(rowCount),
    presentShares: new Float64Array(rowCount),
    absentShares: new Float64Array(rowCount),
    labelledRows: 0,
    presences: 0,
  };
  for (let row = 0; row < rowCount; row++) {
    let known = 0;
    let present = 0;
    let anyTarget = 0;
    let logitSum = 0;
    let presentLogitSum = 0;
    let classWeight = 0;
    for (let j = 0, i = row * classes; j < classes; j++, i++) {
      const target = targets[i]!;
      if (Number.isNaN(target)) continue;
      checkTarget(target, row, j);
      known++;
      present += target;
      logitSum += logits[i]!;
      if (target === 0) continue;
      anyTarget = Math.max(anyTarget, target);
      presentLogitSum += target * logits[i]!;
      if (balance !== undefined) classWeight += target * balance.classWeights[j]!;
    }
    rowWeights[row] = 0;
    if (known === 0) continue;
    const absent = absentWeight(anyTarget, lambda);
    const total = present + (known - present) * absent;
    presence.targets[row] = anyTarget;
    presence.logits[row] = (presentLogitSum + (logitSum - presentLogitSum) * absent) / total;
    presence.presentShares[row] = 1 / total;
    presence.absentShares[row] = absent / total;
    presence.labelledRows++;
    presence.presences += present + (1 - anyTarget);
    rowWeights[row] = balance === undefined ? 1 : classWeight + (1 - anyTarget) * balance.negativeWeight;
  }
  return presence;
}
