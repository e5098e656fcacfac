import { areSameClasses, type Scored } from '../metrics/scored.js';
import { refuseSameSplit } from '../thresholds/fittedThresholds.js';

/**
 * How probabilities become labels. `gate`: class j is predicted where the presence score is at least τ and p_j at least t_j.
 * `shared`: one threshold for all classes. `class`: a threshold per class and no gate. `fixed`: thresholds that are given.
 */
export type DecisionRule = 'gate' | 'shared' | 'class' | 'fixed';

/** The price that the user names. */
export type DecisionBudget = FalseAlarmBudget | NegativeF1Budget;

/** At most this share of negative instances with any prediction. */
export interface FalseAlarmBudget {
  readonly falseAlarms: number;
  /** How sure to be that new data keeps the budget too; null keeps it on the data of the fit only. Default 0.95. */
  readonly confidence?: number | null;
}

/** At least this F1 of 'no class predicted', or what a threshold of 0.5 for all classes gives. */
export interface NegativeF1Budget {
  readonly f1Neg: number | 'at 0.5';
}

/** Whether the false-alarm rate on new data is bounded, whatever its distribution. */
export type Guarantee =
  | { readonly holds: true; readonly falseAlarms: number; readonly confidence: number }
  | {
      readonly holds: false;
      readonly reason: NoGuarantee;
      /** With too few negatives: the smallest rate that this many can promise. */
      readonly smallestRate?: number;
    };

/**
 * Why there is no guarantee: none was asked for (an F1-Neg budget, or confidence null), the rule has no single score to
 * bound, the rows of a group are not independent, or there are too few negatives for the rate.
 */
export type NoGuarantee = 'not requested' | 'rule has no bound' | 'grouped rows' | 'too few negatives';

/** What a decision does on the data that it was fitted on. */
export interface DecisionReport {
  readonly positives: number;
  readonly negatives: number;
  /** Rows that an unknown label could make positive; they count in neither. */
  readonly undecided: number;
  /** Negatives with any prediction, their share, and its one-sided 95% Clopper-Pearson bound; null without negatives. */
  readonly falseAlarms: number;
  readonly falseAlarmRate: number | null;
  readonly falseAlarmBound: number | null;
  readonly f1Neg: number;
  /** The F1-Neg that the budget asks for; null for a false-alarm budget. */
  readonly leastF1Neg: number | null;
  /** The mean F_β over the classes, and that of each. */
  readonly macroFBeta: number;
  readonly perClassFBeta: readonly number[];
  readonly withinBudget: boolean;
  readonly guarantee: Guarantee;
  /** Classes that can never be predicted: without a positive, or without one that passes the gate. */
  readonly neverPredicted: readonly string[];
  /** Sentences for the reader: a budget that cannot be kept, a guarantee that does not hold. */
  readonly remarks: readonly string[];
}

/** A rule with its fitted numbers. Plain JSON. */
export interface Decision {
  readonly rule: DecisionRule;
  readonly budget: DecisionBudget;
  readonly beta: number;
  /** Thresholds per class moved toward the shared one with weight kappa / (positives + kappa). */
  readonly kappa: number;
  readonly classNames: readonly string[];
  /** The presence score from which a row passes: 0 lets every row pass, null none. */
  readonly presence: number | null;
  /** The probability from which each class is predicted; null for never. */
  readonly thresholds: readonly (number | null)[];
  /** The split of the fit and a fingerprint of its scores and labels; null where nothing was fitted (`fixed`). */
  readonly fittedOn: string | null;
  readonly fingerprint: string | null;
  readonly report: DecisionReport;
}

/** The gate and the thresholds in numbers that can be compared with: Infinity for never. */
export interface Cutoffs {
  readonly presence: number;
  readonly thresholds: readonly number[];
}

/** What a row's presence score and probabilities are compared with; a closed gate becomes thresholds out of reach. */
export function cutoffsOf({ presence, thresholds }: Pick<Decision, 'presence' | 'thresholds'>): Cutoffs {
  if (presence === null) return { presence: 0, thresholds: thresholds.map(() => Number.POSITIVE_INFINITY) };
  return { presence, thresholds: thresholds.map((threshold) => threshold ?? Number.POSITIVE_INFINITY) };
}

/** Refuses to decide about other classes than those of the fit. */
export function checkDecisionClasses(decision: Decision, classNames: readonly string[]): void {
  if (areSameClasses(decision.classNames, classNames)) return;
  throw new RangeError(
    `the decision is for the classes ${decision.classNames.join(', ')}; the scores have ${classNames.join(', ')}`,
  );
}

/** Refuses to judge a decision on the data that it was fitted on. */
export function refuseFittedSplit({ fittedOn, fingerprint }: Decision, judged: Scored): void {
  if (fittedOn === null || fingerprint === null) return;
  refuseSameSplit({ fittedOn, fingerprint }, judged, 'decision was');
}
