import { checkLength } from '../arrays/rowMajor.js';
import type { Grouping } from '../labels/groups.js';
import { cutoffsOf } from '../metrics/decisionCutoffs.js';
import type { Scored } from '../metrics/scored.js';
import { prepareDecisionRows, sampleOf } from './decisionRows.js';
import { checkRows, type FitDecisionOptions, ruleFitOf } from './fitDecision.js';
import { fitRule } from './fitRule.js';

export interface CrossFitOptions extends FitDecisionOptions {
  /** The fold of each row. Rows of one group must share one. */
  readonly folds: ArrayLike<number>;
}

/**
 * Predicts every row with a decision that was fitted without it, on the rows of all other folds. The metrics of these
 * labels show how well decisions fitted on such data do on new data, so a model can be chosen by them without touching
 * the test split.
 *
 * @returns the rows with their labels, 0 or 1, in place of scores; `measure` and all bootstraps evaluate them at 0.5
 *
 * @example
 * const decided = crossFit(validation, { folds: Array.from({ length: rows }, (_, row) => row % 5) });
 * measure(decided).macroF1
 */
export function crossFit(validation: Scored, { folds, ...options }: CrossFitOptions): Scored {
  const rows = prepareDecisionRows(validation);
  checkLength('folds', folds.length, rows.rows, 'one per row');
  if (rows.grouping) checkFolds(folds, rows.grouping);
  const fit = ruleFitOf(rows, options);
  const classes = rows.classNames.length;
  const labels = new Float64Array(rows.scores.length);
  const isFloat32 = rows.scores instanceof Float32Array;
  for (const fold of new Set(Array.from(folds))) {
    const others = Uint16Array.from({ length: rows.rows }, (_, row) => Number(folds[row] !== fold));
    const sample = sampleOf(rows, others);
    if (fit.rule !== 'fixed') checkRows(sample, fit, `all but fold ${fold}`);
    const cutoffs = cutoffsOf(fitRule(sample, fit));
    const thresholds = isFloat32 ? cutoffs.thresholds.map(Math.fround) : cutoffs.thresholds;
    for (let row = 0; row < rows.rows; row++) {
      if (folds[row] !== fold || rows.presence[row]! < cutoffs.presence) continue;
      for (let j = 0; j < classes; j++) {
        const i = row * classes + j;
        if (rows.scores[i]! >= thresholds[j]!) labels[i] = 1;
      }
    }
  }
  return { ...validation, scores: labels };
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
