import { checkLength, type FloatArray, rowsOf } from '../arrays/rowMajor.js';
import type { ClassBalance } from '../balance/effectiveNumberWeights.js';
import { checkBase, checkGamma, checkShare } from './lossArguments.js';
import type { LossPasses } from './lossPasses.js';
import { type LossRows, lossRows } from './lossRows.js';
import { scalarPasses } from './scalarPasses.js';
import { simdPasses } from './simd/simdPasses.js';

/** How the rows' losses become one. */
export type Reduction =
  /** Σ w̃ J / (Σ y + number of negatives), the paper's. */
  | 'batch'
  /** Σ w̃ J / number of rows with a known label. */
  | 'mean'
  | 'sum'
  /** No reduction: the gradient of each row is that of its own loss. */
  | 'none'
  /** Σ w̃ J / denominator: for a batch spread over processes, the sum of all their denominators. */
  | { readonly denominator: number };

export interface AnyClassLossOptions {
  /** The number of columns. */
  readonly classes: number;
  readonly base: 'bce' | 'focal';
  /** The weight of the any-class term; 0 gives the standard loss. Default 1. */
  readonly alpha?: number;
  /** The weight of absent classes in the any-class logit. Default 0.02. */
  readonly lambda?: number;
  /** The focusing exponent of `focal`; 0 gives `bce`. Default 2. */
  readonly gamma?: number;
  /** Instance weights from class weights; all 1 when left out. */
  readonly balance?: ClassBalance;
  /** Default 'batch'. */
  readonly reduction?: Reduction;
  /** 0 where a label is unknown. A target of NaN says the same. */
  readonly mask?: ArrayLike<number>;
  /** Where to write d loss / d logits; it is computed only if this is given. */
  readonly gradient?: FloatArray;
  /** Where to write the rows' figures; allocated when left out. */
  readonly rows?: LossRows;
}

/** What 'none' gives. */
export interface UnreducedLoss {
  readonly rows: LossRows;
  /** The caller's buffer. */
  readonly gradient?: FloatArray;
}

/** The reduced loss, and the two sums that processes exchange to get the loss of all of them. */
export interface ReducedLoss extends UnreducedLoss {
  readonly loss: number;
  readonly numerator: number;
  readonly denominator: number;
}

/**
 * The any-class presence likelihood losses and their gradient, in closed form, over row-major logits and targets:
 *
 *     J = J_base - α (1 - p_a)^γ log p_a      (γ = 0 for 'bce')
 *
 * Targets are 0 or 1, anything between (soft labels), or NaN where unknown: an unknown label acts as if its class
 * did not exist for that row, and a row without a known label counts nowhere.
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
  const { classes, base, alpha = 1, lambda = 0.02, gamma = 2, reduction = 'batch', gradient } = options;
  checkBase(base);
  checkShare('alpha', alpha);
  checkShare('lambda', lambda);
  checkGamma(gamma);
  const rowCount = rowsOf('logits', logits.length, classes);
  const rows = options.rows ?? lossRows(rowCount);
  checkArrays(logits, targets, rows, options);
  const known = options.mask === undefined ? targets : withoutMasked(targets, options.mask);

  const focusing = base === 'focal' ? gamma : 0;
  const { balance } = options;
  const batch = { logits, targets: known, classes, alpha, lambda, gamma: focusing, balance, rows, gradient };
  const passes = (logits instanceof Float32Array ? simdPasses(batch) : null) ?? scalarPasses(batch);
  const denominator = denominatorOf(reduction, passes);
  const scale = denominator > 0 ? 1 / denominator : 0;
  passes.addTerms(scale);

  const numerator = rows.losses.reduce((sum, loss) => sum + loss, 0);
  if (!Number.isFinite(numerator)) throw notFinite(logits, classes);
  const unreduced = gradient === undefined ? { rows } : { rows, gradient };
  return reduction === 'none' ? unreduced : { ...unreduced, loss: numerator * scale, numerator, denominator };
}

function checkArrays(
  logits: FloatArray,
  targets: ArrayLike<number>,
  rows: LossRows,
  { classes, balance, mask, gradient }: AnyClassLossOptions,
): void {
  const entries = logits.length;
  checkLength('targets', targets.length, entries, 'one a logit');
  if (mask !== undefined) checkLength('mask', mask.length, entries, 'one a logit');
  if (gradient !== undefined) checkLength('gradient', gradient.length, entries, 'one a logit');
  if (balance !== undefined) {
    checkLength('balance.classWeights', balance.classWeights.length, classes, 'one a class');
    for (const [j, weight] of [...Array.from(balance.classWeights), balance.negativeWeight].entries()) {
      const name = j < classes ? `classWeights[${j}]` : 'negativeWeight';
      if (!(weight >= 0 && weight < Number.POSITIVE_INFINITY)) {
        throw new RangeError(`balance.${name} is ${weight}; expected a finite number of at least 0`);
      }
    }
  }
  for (const [name, figures] of Object.entries(rows)) {
    checkLength(`rows.${name}`, figures.length, entries / classes, 'one a row');
  }
}

function withoutMasked(targets: ArrayLike<number>, mask: ArrayLike<number>): Float64Array {
  const known = Float64Array.from(targets);
  for (let i = 0; i < known.length; i++) {
    if (mask[i] === 0) known[i] = Number.NaN;
  }
  return known;
}

function denominatorOf(reduction: Reduction, passes: LossPasses): number {
  if (reduction === 'batch') return passes.presences;
  if (reduction === 'mean') return passes.labeledRows;
  if (reduction === 'sum' || reduction === 'none') return 1;
  if (!(reduction.denominator > 0 && reduction.denominator < Number.POSITIVE_INFINITY)) {
    throw new RangeError(`reduction.denominator is ${reduction.denominator}; expected a positive number`);
  }
  return reduction.denominator;
}

function notFinite(logits: FloatArray, classes: number): RangeError {
  const found = logits.findIndex((logit) => !Number.isFinite(logit));
  if (found < 0) return new RangeError('logits is too large: the loss overflows');
  const where = `row ${Math.floor(found / classes)}, class ${found % classes}`;
  return new RangeError(`logits at ${where} is ${logits[found]}; expected a finite number`);
}
