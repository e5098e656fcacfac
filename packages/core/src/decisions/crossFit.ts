import { checkLength } from '../arrays/rowMajor.js';
import type { Grouping } from '../labels/groups.js';
import { cutoffsOf } from '../metrics/decisionCutoffs.js';
import { type Outcome, outcomeOf } from '../metrics/outcomes.js';
import type { Scored } from '../metrics/scored.js';
import { prepareDecisionRows, sampleOf } from './decisionRows.js';
import { checkRows, type FitDecisionOptions, ruleFitOf } from './fitDecision.js';
import { fitRule } from './fitRule.js';

export interface CrossFitOptions extends FitDecisionOptions {
  /** The fold of each row. Rows of one group must share one. */
  readonly folds: ArrayLike<number>;
}

/** Rows with the answers of decisions that did not see them. */
export interface CrossFitted extends Scored {
  readonly outcomes: readonly Outcome[];
  /**
   * Folds without which too few rows are left to guarantee the budget. With any, the false-alarm rate of the labels is not
   * that of a decision that keeps the promise; do not report it as such.
   */
  readonly foldsWithoutGuarantee: readonly number[];
}

/**
 * Predicts every row with a decision that was fitted without it, on the rows of all other folds. The metrics of these
 * labels show how well decisions fitted on such data do on new data, so a model can be chosen by them without touching
 * the test split, and a decision that was fitted on all rows can be judged on the same ones.
 *
 * @returns the rows with their labels, 0 or 1, in place of scores; `measure` and all bootstraps evaluate them at 0.5, and
 *   `countOutcomes` counts their outcomes
 *
 * @example
 * const decided = crossFit(validation, { folds: Array.from({ length: rows }, (_, row) => row % 5) });
 * measure(decided).macroF1
 */
export function crossFit(validation: Scored, { folds, ...options }: CrossFitOptions): CrossFitted {
  const rows = prepareDecisionRows(validation);
  checkLength('folds', folds.length, rows.rows, 'one per row');
  if (rows.grouping) checkFolds(folds, rows.grouping);
  const fit = ruleFitOf(rows, options);
  const classes = rows.classNames.length;
  const labels = new Float64Array(rows.scores.length);
  const isFloat32 = rows.scores instanceof Float32Array;
  const outcomes: Outcome[] = [];
  const foldsWithoutGuarantee: number[] = [];
  for (const fold of new Set(Array.from(folds))) {
    const others = Uint16Array.from({ length: rows.rows }, (_, row) => Number(folds[row] !== fold));
    const sample = sampleOf(rows, others);
    if (fit.rule !== 'fixed') checkRows(sample, fit, `all but fold ${fold}`);
    const fitted = fitRule(sample, fit);
    const promises = [fitted.guarantee, fitted.missedGuarantee];
    if (promises.some((promise) => promise?.holds === false && promise.reason.startsWith('too few'))) {
      foldsWithoutGuarantee.push(fold);
    }
    const cutoffs = cutoffsOf(fitted);
    const thresholds = isFloat32 ? cutoffs.thresholds.map(Math.fround) : cutoffs.thresholds;
    for (let row = 0; row < rows.rows; row++) {
      if (folds[row] !== fold) continue;
      const presence = rows.presence[row]!;
      let isPredicted = false;
      for (let j = 0; j < classes && presence >= cutoffs.presence; j++) {
        const i = row * classes + j;
        if (!(rows.scores[i]! >= thresholds[j]!)) continue;
        labels[i] = 1;
        isPredicted = true;
      }
      outcomes[row] = outcomeOf(presence, isPredicted, cutoffs);
    }
  }
  return { ...validation, scores: labels, outcomes, foldsWithoutGuarantee };
}

/** Throws if a group is divided: a decision fitted on some of its rows would know something about the others. */
function checkFolds(folds: ArrayLike<number>, { names, codes }: Grouping): void {
  const foldOf = new Map<number, number>();
  codes.forEach((group, row) => {
    const fold = foldOf.get(group) ?? folds[row]!;
    foldOf.set(group, fold);
    if (fold === folds[row]) return;
    throw new RangeError(
      `rows of group ${names[group]} are in folds ${fold} and ${folds[row]}; expected the rows of a group in one fold`,
    );
  });
}
