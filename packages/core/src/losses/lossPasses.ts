import type { FloatArray } from '../arrays/rowMajor.js';
import type { ClassBalance } from '../balance/effectiveNumberWeights.js';
import { absentWeight, isDecided } from './anyClass.js';
import { checkTarget } from './lossArguments.js';
import type { LossParts } from './lossParts.js';
import type { LossRows } from './lossRows.js';
import { binaryTerm } from './lossTerm.js';

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

/** What each row's labels say about 'any class'; one entry per row, all 0 for an undecided row. */
interface RowPresence {
  /** y_a. */
  readonly targets: Float64Array;
  /** z*, the any-class logit. */
  readonly logits: Float64Array;
  /** w_j / Σw of a present class; next, of an absent class. */
  readonly presentShares: Float64Array;
  readonly absentShares: Float64Array;
}

/** Describes all rows; their terms are computed in float64, for arrays of any kind. */
export function lossPasses(batch: LossBatch): LossPasses {
  const rowCount = batch.rows.weights.length;
  const presence = {
    targets: new Float64Array(rowCount),
    logits: new Float64Array(rowCount),
    presentShares: new Float64Array(rowCount),
    absentShares: new Float64Array(rowCount),
  };
  let labeledRows = 0;
  let presences = 0;
  for (let row = 0; row < rowCount; row++) {
    const ofRow = describeRow(batch, row, presence);
    if (ofRow > 0) labeledRows++;
    presences += ofRow;
  }
  return { labeledRows, presences, addTerms: (scale) => addTerms(batch, presence, scale) };
}

/** Fills a row's entries and its weight; returns Σ y + (1 - y_a), which is 1 or more, or 0 without a known label. */
function describeRow(
  { logits, targets, classes, parts, balance, rows }: LossBatch,
  row: number,
  to: RowPresence,
): number {
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
  rows.weights[row] = 0;
  if (known === 0) return 0;
  rows.weights[row] = balance === undefined ? 1 : classWeight + (1 - anyTarget) * balance.negativeWeight;
  if (isDecided(anyTarget, known, classes)) {
    const absent = absentWeight(anyTarget, parts.lambda);
    const total = present + (known - present) * absent;
    to.targets[row] = anyTarget;
    to.logits[row] = (presentLogitSum + (logitSum - presentLogitSum) * absent) / total;
    to.presentShares[row] = 1 / total;
    to.absentShares[row] = absent / total;
  }
  return present + (1 - anyTarget);
}

function addTerms(batch: LossBatch, presence: RowPresence, scale: number): void {
  const { logits, targets, classes, parts, rows, gradient } = batch;
  const { term, alpha, smoothing } = parts;
  // Label smoothing: y (1 - ε) + ε / 2.
  const kept = 1 - smoothing;
  const added = smoothing / 2;
  const result = new Float64Array(2);
  for (let row = 0; row < rows.weights.length; row++) {
    binaryTerm(presence.logits[row]!, presence.targets[row]!, term, result);
    const anyLoss = presence.presentShares[row]! > 0 ? result[0]! : 0;
    const rowScale = scale * rows.weights[row]!;
    // d z* / d z_j is the class's share of the weights, interpolated between the absent and the present share.
    const absentSlope = alpha * result[1]! * presence.absentShares[row]!;
    const presentSlope = alpha * result[1]! * presence.presentShares[row]!;
    let baseLoss = 0;
    const end = (row + 1) * classes;
    for (let i = row * classes; i < end; i++) {
      const target = targets[i]!;
      if (Number.isNaN(target)) {
        if (gradient !== undefined) gradient[i] = 0;
        continue;
      }
      binaryTerm(logits[i]!, target * kept + added, term, result);
      baseLoss += result[0]!;
      if (gradient !== undefined) {
        gradient[i] = rowScale * (result[1]! + target * presentSlope + (1 - target) * absentSlope);
      }
    }
    rows.base[row] = baseLoss;
    rows.anyClass[row] = anyLoss;
    rows.losses[row] = rows.weights[row]! * (baseLoss + alpha * anyLoss);
  }
}
