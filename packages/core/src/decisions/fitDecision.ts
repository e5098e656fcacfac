import { checkLength } from '../arrays/rowMajor.js';
import { cutoffsOf, type DecisionRule } from '../metrics/decisionCutoffs.js';
import { fingerprintOf } from '../metrics/fittedThresholds.js';
import { metricsOf } from '../metrics/measure.js';
import { checkImportance, type MeasureOptions, measurementAt } from '../metrics/measurement.js';
import type { Metrics } from '../metrics/metrics.js';
import type { Scored } from '../metrics/scored.js';
import { checkFit } from '../thresholds/fitThresholds.js';
import { checkBudget, promiseUnit } from './budget.js';
import type { Decision, DecisionBudget } from './decision.js';
import { type DecisionRows, type DecisionSample, prepareDecisionRows, sampleOf } from './decisionRows.js';
import { type FittedRule, fitRule, type RuleFit } from './fitRule.js';
import type { Candidates, PromiseUnit } from './guarantee.js';
import { type CountedInstances, countedInstances } from './instances.js';
import { reportOf } from './report.js';
import { highestScores } from './sharedSearch.js';

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
  /**
   * How many candidates were compared on these rows before, such as epochs, runs or budgets; a guarantee divides its error
   * probability among them. Default 1: nothing was chosen here. `adaptive` if they cannot be counted: nothing is guaranteed.
   */
  readonly candidates?: Candidates;
}

/** Chosen in 'Shrinkage of thresholds per class' in bench/RESULTS.md. */
export const DEFAULT_KAPPA = 10;

/**
 * Fits the rule that turns probabilities into labels within the user's budget.
 *
 * With the rule `gate`, class j is predicted if the row's presence score is at least τ and p_j is at least t_j. A
 * false-alarm budget is guaranteed, with its stated confidence, on new data from the same distribution; a distribution
 * shift voids the guarantee. If the budget also limits missed positives, rows have three outcomes, and both limits are
 * guaranteed. With groups (`validation.groups`), the guarantee rests on one row a group. It needs a model, a budget and a
 * calibration that were chosen without these rows; otherwise see `candidates` and `Scored.presence`.
 *
 * The result records its split, and `measure` refuses to evaluate it there.
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
 *
 * @example
 * // At most 5% of negatives alarm, at most 2% of positives are cleared, each with 95% confidence; the rest is for review.
 * const triage = fitDecision({ ...validation, groups: patients }, { budget: { falseAlarms: 0.05, missed: 0.02 } });
 * triage.report.guarantee // { holds: true, rate: 0.05, confidence: 0.95, unit: 'image', groups: 412, … }
 * triage.report.triage?.guarantee // { holds: true, rate: 0.02, … }
 * applyDecision(scores, triage).outcomes // ['clear', 'review', 'alarm', …]
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
  return fitterOn(validation, prepareDecisionRows(validation));
}

/**
 * Fits a decision, and returns its metrics on the data of the fit as well; the scores are ranked once.
 *
 * @example
 * const { decision, metrics } = fitMeasuredDecision(validation, { budget: { falseAlarms: 0.05 } });
 */
export function fitMeasuredDecision(
  validation: Scored,
  options: FitDecisionOptions = {},
  { classImportance }: Pick<MeasureOptions, 'classImportance'> = {},
): { readonly decision: Decision; readonly metrics: Metrics } {
  if (classImportance !== undefined) checkImportance(classImportance, validation.classNames);
  const rows = prepareDecisionRows(validation);
  const decision = fitterOn(validation, rows)(options);
  const setting = { ...measurementAt(rows, cutoffsOf(decision), rows.presence), classImportance };
  return { decision, metrics: metricsOf(setting, new Uint16Array(rows.rows).fill(1)) };
}

function fitterOn(validation: Scored, rows: DecisionRows): (options?: FitDecisionOptions) => Decision {
  const sample = sampleOf(rows);
  const fingerprint = fingerprintOf(validation);
  return (options = {}) => {
    const fit = ruleFitOf(rows, options);
    const isFixed = fit.rule === 'fixed';
    const split = isFixed ? null : checkFit(validation, fit.beta);
    if (!isFixed) checkRows(sample, fit, validation.split);
    const fitted = fitRule(sample, fit);
    return decisionOf(fitted, fit, {
      classNames: [...rows.classNames],
      presenceFrom: validation.presence === undefined ? 'scores' : 'given',
      fittedOn: split,
      fingerprint: isFixed ? null : fingerprint,
      report: reportOf(sample, fit, fitted),
    });
  };
}

/** Puts a decision together. */
export function decisionOf(
  { presence, clear, thresholds }: FittedRule,
  { rule, budget, beta, kappa, candidates }: RuleFit,
  known: Pick<Decision, 'classNames' | 'presenceFrom' | 'fittedOn' | 'fingerprint' | 'report'>,
): Decision {
  return { rule, budget, beta, kappa, candidates, presence, clear, thresholds, ...known };
}

/**
 * Throws if the options are invalid for any data; lets a run fail before training rather than after.
 *
 * @example
 * checkDecisionOptions({ budget: { falseAlarms: 5 } }) // RangeError: budget.falseAlarms is 5; expected a share from 0 to 1
 */
export function checkDecisionOptions(options: FitDecisionOptions): Pick<RuleFit, CheckedOption> {
  const { rule = 'gate', beta = 1, threshold, candidates = 1 } = options;
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
  if (candidates !== 'adaptive' && !(Number.isInteger(candidates) && candidates >= 1)) {
    throw new RangeError(`candidates is ${candidates}; expected an integer of at least 1, or 'adaptive'`);
  }
  const budget = checkBudget(options.budget);
  if ('missed' in budget && rule !== 'gate') {
    throw new RangeError(`budget.missed has no effect with rule '${rule}'; it belongs to rule 'gate'`);
  }
  return { rule, budget, beta, kappa, candidates };
}

type CheckedOption = 'rule' | 'budget' | 'beta' | 'kappa' | 'candidates';

/** Checks the options and fills in defaults. */
export function ruleFitOf(
  rows: DecisionRows,
  options: FitDecisionOptions,
  instancesOf = instancesByUnit(rows),
): RuleFit {
  const checked = checkDecisionOptions(options);
  const unit = promiseUnit(checked.budget);
  if (unit === 'group' && rows.grouping === undefined) {
    throw new RangeError("budget.per is 'group', but the scores have no groups; set their groups");
  }
  return {
    ...checked,
    fixedThresholds: fixedThresholds(options.threshold ?? 0.5, rows.classNames),
    instances: instancesOf(checked.rule === 'shared', unit),
  };
}

/** Returns what promises count, by whether the rule bounds the highest score of a row instead of its presence, and by unit. */
export function instancesByUnit(
  rows: DecisionRows,
): (ofHighest: boolean, unit: PromiseUnit) => CountedInstances {
  return (ofHighest, unit) => {
    const { highest, byHighest } = ofHighest
      ? highestScores(rows)
      : { highest: rows.presence, byHighest: rows.byPresence };
    return countedInstances(rows, highest, byHighest, unit);
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
  const left = undecided > 0 ? ` (${undecided} undecided)` : '';
  if (positives === 0) {
    throw new RangeError(`${split} has no positive row${left}; fit thresholds on data with positives`);
  }
  if (negatives === 0 && 'falseAlarms' in budget && rule !== 'class') {
    throw new RangeError(
      `${split} has no negative row${left}, so budget.falseAlarms cannot be kept; add negatives, or use rule 'class'`,
    );
  }
}
