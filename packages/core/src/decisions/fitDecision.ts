import { checkLength } from '../arrays/rowMajor.js';
import type { DecisionRule } from '../metrics/decisionCutoffs.js';
import { fingerprintOf } from '../metrics/fittedThresholds.js';
import type { Scored } from '../metrics/scored.js';
import { checkFit } from '../thresholds/fitThresholds.js';
import { checkBudget } from './budget.js';
import type { Decision, DecisionBudget } from './decision.js';
import { type DecisionRows, type DecisionSample, prepareDecisionRows, sampleOf } from './decisionRows.js';
import { fitRule, type RuleFit } from './fitRule.js';
import { reportOf } from './report.js';

/** Options for fitting a decision. */
export interface FitDecisionOptions {
  /** Default `gate`. */
  readonly rule?: DecisionRule;
  /** Default: at most 5% false alarms with a confidence of 0.95. The rules `class` and `fixed` only report on it. */
  readonly budget?: DecisionBudget;
  /** Recall weighs β² times as much as precision. Default 1. */
  readonly beta?: number;
  /**
   * How far per-class thresholds move toward the shared one: with weight kappa / (positives + kappa). 0 leaves them
   * unchanged. For `gate` and `class`. Default {@link DEFAULT_KAPPA}.
   */
  readonly kappa?: number;
  /** For `fixed`: one threshold, or one per class. Default 0.5. */
  readonly threshold?: number | readonly number[];
  /** Group of each row, such as its patient or video. */
  readonly groups?: ArrayLike<number | string>;
}

/** Chosen in 'Shrinkage of thresholds per class' in bench/RESULTS.md. */
export const DEFAULT_KAPPA = 10;

/**
 * Fits the rule that turns probabilities into labels within the user's budget.
 *
 * With the rule `gate`, class j is predicted if the row's presence score is at least τ and p_j is at least t_j. A
 * false-alarm budget is guaranteed, with its stated confidence, on new data from the same distribution; a distribution
 * shift voids the guarantee. The result records its split, and `measure` refuses to evaluate it there.
 *
 * @example
 * const validation = {
 *   scores: new Float64Array([0.9, 0.2, 0.6, 0.1, 0.3, 0.1, 0.2, 0.8]),
 *   targets: [1, 0, 0, 0, 0, 0, 0, 1],
 *   classNames: ['crack', 'roots'],
 *   split: 'validation',
 * };
 * const decision = fitDecision(validation, { budget: { falseAlarms: 0.05, confidence: null }, kappa: 0 });
 * decision.thresholds // [0.9, 0.8]
 * decision.report.macroFBeta // 1
 */
export function fitDecision(validation: Scored, options: FitDecisionOptions = {}): Decision {
  return decisionFitter(validation)(options);
}

/**
 * Returns a function that fits several rules or budgets on the same data, which is sorted once.
 *
 * @example
 * const fit = decisionFitter(validation);
 * [0.01, 0.02, 0.05].map((falseAlarms) => fit({ budget: { falseAlarms } }))
 */
export function decisionFitter(validation: Scored): (options?: FitDecisionOptions) => Decision {
  const rows = prepareDecisionRows(validation);
  const sample = sampleOf(rows);
  const fingerprint = fingerprintOf(validation);
  return (options = {}) => {
    const fit = ruleFitOf(rows, options);
    const isFixed = fit.rule === 'fixed';
    const split = isFixed ? null : checkFit(validation, fit.beta);
    if (!isFixed) checkRows(sample, fit, validation.split);
    const fitted = fitRule(sample, fit);
    return {
      rule: fit.rule,
      budget: fit.budget,
      beta: fit.beta,
      kappa: fit.kappa,
      classNames: [...rows.classNames],
      presence: fitted.presence,
      thresholds: fitted.thresholds,
      fittedOn: split,
      fingerprint: isFixed ? null : fingerprint,
      report: reportOf(sample, fit, fitted),
    };
  };
}

/**
 * Throws if the options are invalid for any data; lets a run fail before training rather than after.
 *
 * @example
 * checkDecisionOptions({ budget: { falseAlarms: 5 } }) // RangeError: budget.falseAlarms is 5; expected a share from 0 to 1
 */
export function checkDecisionOptions(options: FitDecisionOptions): Pick<RuleFit, CheckedOption> {
  const { rule = 'gate', beta = 1, threshold } = options;
  const hasKappa = rule === 'gate' || rule === 'class';
  const { kappa = hasKappa ? DEFAULT_KAPPA : 0 } = options;
  if (!(beta > 0 && beta < Number.POSITIVE_INFINITY)) {
    throw new RangeError(`beta is ${beta}; expected a positive number`);
  }
  if (!(kappa >= 0 && kappa < Number.POSITIVE_INFINITY)) {
    throw new RangeError(`kappa is ${kappa}; expected a number of at least 0`);
  }
  if (kappa > 0 && !hasKappa)
    throw new RangeError(`kappa is ${kappa}, which has no effect with rule '${rule}'`);
  if (threshold !== undefined && rule !== 'fixed') {
    throw new RangeError(`threshold has no effect with rule '${rule}'; it belongs to rule 'fixed'`);
  }
  return { rule, budget: checkBudget(options.budget), beta, kappa };
}

type CheckedOption = 'rule' | 'budget' | 'beta' | 'kappa';

/** Checks the options and fills in defaults. */
export function ruleFitOf({ rows, classNames }: DecisionRows, options: FitDecisionOptions): RuleFit {
  const { threshold, groups } = options;
  const checked = checkDecisionOptions(options);
  if (groups !== undefined) checkLength('groups', groups.length, rows, 'one per row');
  return {
    ...checked,
    fixedThresholds: fixedThresholds(threshold ?? 0.5, classNames),
    isGrouped: groups !== undefined && new Set(Array.from(groups)).size < groups.length,
  };
}

function fixedThresholds(
  threshold: number | readonly number[],
  classNames: readonly string[],
): readonly number[] {
  const thresholds = typeof threshold === 'number' ? classNames.map(() => threshold) : threshold;
  checkLength('threshold', thresholds.length, classNames.length, 'one per class');
  thresholds.forEach((value, j) => {
    if (Number.isFinite(value)) return;
    throw new RangeError(`threshold of class ${classNames[j]} is ${value}; expected a number`);
  });
  return thresholds;
}

/** Throws if a rule cannot be fitted on these rows. */
export function checkRows(
  { totals }: DecisionSample,
  { rule, budget }: RuleFit,
  split = 'the data of the fit',
): void {
  const { positives, negatives, undecided } = totals;
  const left = undecided > 0 ? ` (${undecided} are undecided)` : '';
  if (positives === 0) {
    throw new RangeError(`${split} has no positive row${left}; fit thresholds on data with positives`);
  }
  if (negatives === 0 && 'falseAlarms' in budget && rule !== 'class') {
    throw new RangeError(
      `${split} has no negative row${left}, so budget.falseAlarms cannot be kept; add negatives, or use rule 'class'`,
    );
  }
}
