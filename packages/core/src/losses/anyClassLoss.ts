import { checkLength, type FloatArray, rowsOf } from '../arrays/rowMajor.js';
import type { ClassBalance } from '../balance/effectiveNumberWeights.js';
import { type LossOptions, lossParts } from './lossParts.js';
import { type LossBatch, type LossPasses, lossPasses } from './lossPasses.js';
import { type LossRows, lossRows } from './lossRows.js';
import { denominatorOf, type Reduction } from './reduction.js';

export interface AnyClassLossOptions extends LossOptions {
  /** Number of classes (columns). */
  readonly classes: number;
  /** Class weights from which instance weights are computed; all 1 if left out. */
  readonly balance?: ClassBalance;
  /** Default 'batch'. */
  readonly reduction?: Reduction;
  /** 0 where a label is unknown. A target of NaN means the same. */
  readonly mask?: ArrayLike<number>;
  /** Buffer for d loss / d logits, which is computed only if this is given. */
  readonly gradient?: FloatArray;
  /** Buffers for the per-row results; allocated if left out. */
  readonly rows?: LossRows;
}

/** The result with reduction 'none'. */
export interface UnreducedLoss {
  readonly rows: LossRows;
  /** The caller's buffer. */
  readonly gradient?: FloatArray;
}

/** The reduced loss, and the two sums that processes exchange to compute their joint loss. */
export interface ReducedLoss extends UnreducedLoss {
  readonly loss: number;
  readonly numerator: number;
  readonly denominator: number;
}

/**
 * Computes the any-class presence likelihood losses and their gradient, in closed form, from row-major logits and targets:
 *
 *     J = Σ_j J_base(z_j, y_j) + α J_base(z*, y_a)
 *
 * Targets are 0 or 1, anything in between (soft labels), or NaN if unknown. An unknown label acts as if its class did not
 * exist for that row. A row whose unknown labels could turn it positive has no any-class term, and a row without any
 * known label is ignored.
 *
 * @example
 * const logits = new Float64Array([2, -1, 0.5, -2, -3, -0.5, 1.5, 0.25, -4]);
 * const targets = new Float64Array([1, 0, 1, 0, 0, 0, 0, 1, 0]);
 * const balance = effectiveNumberWeights([10, 100, 1000], 5000, { beta: 0.9999 });
 * anyClassLoss(logits, targets, { classes: 3, base: 'bce', balance }).loss // 1.326046531012771
 */
export function anyClassLoss(
  logits: FloatArray,
  targets: ArrayLike<number>,
  options: AnyClassLossOptions & { readonly reduction: 'none' },
): UnreducedLoss;
export function anyClassLoss(
  logits: FloatArray,
  targets: ArrayLike<number>,
  options: AnyClassLossOptions & { readonly reduction?: Exclude<Reduction, 'none'> },
): ReducedLoss;
export function anyClassLoss(
  logits: FloatArray,
  targets: ArrayLike<number>,
  options: AnyClassLossOptions,
): UnreducedLoss | ReducedLoss {
  const { classes, balance, reduction = 'batch', gradient } = options;
  const parts = lossParts(options);
  const rowCount = rowsOf('logits', logits.length, classes);
  const rows = options.rows ?? lossRows(rowCount);
  checkArrays(logits, targets, rows, options);
  const known = options.mask === undefined ? targets : withoutMasked(targets, options.mask);
  const batch = { logits, targets: known, classes, parts, balance, rows, gradient };

  const sums = sumOf(batch, lossPasses(batch), reduction);
  if (!Number.isFinite(sums.numerator)) throw notFinite(logits, classes);
  const unreduced = gradient === undefined ? { rows } : { rows, gradient };
  return reduction === 'none' ? unreduced : { ...unreduced, ...sums };
}

function sumOf({ rows }: LossBatch, passes: LossPasses, reduction: Reduction): Omit<ReducedLoss, 'rows'> {
  const denominator = denominatorOf(reduction, passes);
  const scale = denominator > 0 ? 1 / denominator : 0;
  passes.addTerms(scale);
  const numerator = rows.losses.reduce((sum, loss) => sum + loss, 0);
  return { loss: numerator * scale, numerator, denominator };
}

function checkArrays(
  logits: FloatArray,
  targets: ArrayLike<number>,
  rows: LossRows,
  { classes, balance, mask, gradient }: AnyClassLossOptions,
): void {
  const entries = logits.length;
  checkLength('targets', targets.length, entries, 'one per logit');
  if (mask !== undefined) checkLength('mask', mask.length, entries, 'one per logit');
  if (gradient !== undefined) checkLength('gradient', gradient.length, entries, 'one per logit');
  if (balance !== undefined) {
    checkLength('balance.classWeights', balance.classWeights.length, classes, 'one per class');
    for (const [j, weight] of [...Array.from(balance.classWeights), balance.negativeWeight].entries()) {
      const name = j < classes ? `classWeights[${j}]` : 'negativeWeight';
      if (!(weight >= 0 && weight < Number.POSITIVE_INFINITY)) {
        throw new RangeError(`balance.${name} is ${weight}; expected a finite number of at least 0`);
      }
    }
  }
  for (const [name, values] of Object.entries(rows)) {
    checkLength(`rows.${name}`, values.length, entries / classes, 'one per row');
  }
}

function withoutMasked(targets: ArrayLike<number>, mask: ArrayLike<number>): Float64Array {
  const known = Float64Array.from(targets);
  for (let i = 0; i < known.length; i++) {
    if (mask[i] === 0) known[i] = Number.NaN;
  }
  return known;
}

function notFinite(logits: FloatArray, classes: number): RangeError {
  const found = logits.findIndex((logit) => !Number.isFinite(logit));
  if (found < 0) return new RangeError('logits is too large: the loss overflows');
  const where = `row ${Math.floor(found / classes)}, class ${found % classes}`;
  return new RangeError(`logits at ${where} is ${logits[found]}; expected a finite number`);
}
