import { areSameClasses, type Scored } from '../metrics/scored.js';
import { refuseSameSplit } from '../thresholds/fittedThresholds.js';

/**
 * How probabilities become labels. `gate`: class j is predicted if the presence score is at least τ and p_j is at least
 * t_j. `shared`: one threshold for all classes. `class`: a threshold per class and no gate. `fixed`: given thresholds.
 */
export type DecisionRule = 'gate' | 'shared' | 'class' | 'fixed';

/** The price that the user is willing to pay. */
export type DecisionBudget = FalseAlarmBudget | NegativeF1Budget;

/** A limit on the share of negative instances with any prediction. */
export interface FalseAlarmBudget {
  readonly falseAlarms: number;
  /** Confidence that the budget also holds on new data; null enforces it on the data of the fit only. Default 0.95. */
  readonly confidence?: number | null;
}

/** A minimum F1 of 'no class predicted': a number, or the F1 at a threshold of 0.5 for all classes. */
export interface NegativeF1Budget {
  readonly f1Neg: number | 'at 0.5';
}

/** Whether the false-alarm rate on new data is bounded, whatever its distribution. */
export type Guarantee =
  | { readonly holds: true; readonly falseAlarms: number; readonly confidence: number }
  | {
      readonly holds: false;
      readonly reason: NoGuarantee;
      /** With too few negatives: the smallest rate that this many can guarantee. */
      readonly smallestRate?: number;
    };

/**
 * Why there is no guarantee: none was requested (an F1-Neg budget, or confidence null), the rule has no single score to
 * bound, rows within a group are not independent, or there are too few negatives for the rate.
 */
export type NoGuarantee = 'not requested' | 'rule has no bound' | 'grouped rows' | 'too few negatives';

/** How a decision performs on the data that it was fitted on. */
export interface DecisionReport {
  readonly positives: number;
  readonly negatives: number;
  /** Rows that an unknown label could make positive; they count as neither. */
  readonly undecided: number;
  /** Negatives with any prediction; next, their share and its one-sided 95% Clopper-Pearson bound, null without negatives. */
  readonly falseAlarms: number;
  readonly falseAlarmRate: number | null;
  readonly falseAlarmBound: number | null;
  readonly f1Neg: number;
  /** The F1-Neg that the budget requires; null for a false-alarm budget. */
  readonly leastF1Neg: number | null;
  /** The mean F_β over the classes; next, the F_β of each class. */
  readonly macroFBeta: number;
  readonly perClassFBeta: readonly number[];
  readonly withinBudget: boolean;
  readonly guarantee: Guarantee;
  /** Classes that can never be predicted: they have no positive, or none that passes the gate. */
  readonly neverPredicted: readonly string[];
  /** Remarks for the reader, such as a budget that cannot be met or a guarantee that does not hold. */
  readonly remarks: readonly string[];
}

/** A rule with its fitted numbers. Plain JSON. */
export interface Decision {
  readonly rule: DecisionRule;
  readonly budget: DecisionBudget;
  readonly beta: number;
  /** Per-class thresholds are moved toward the shared one with weight kappa / (positives + kappa). */
  readonly kappa: number;
  readonly classNames: readonly string[];
  /** The minimum presence score for a row to pass: 0 lets every row pass, null none. */
  readonly presence: number | null;
  /** The minimum probability for each class to be predicted; null for never. */
  readonly thresholds: readonly (number | null)[];
  /** The split of the fit; next, a fingerprint of its scores and labels. Null if nothing was fitted (`fixed`). */
  readonly fittedOn: string | null;
  readonly fingerprint: string | null;
  readonly report: DecisionReport;
}

/** The gate and the thresholds as numbers to compare with; Infinity for never. */
export interface Cutoffs {
  readonly presence: number;
  readonly thresholds: readonly number[];
}

/** Returns the numbers to compare a row's scores with; a closed gate becomes infinite thresholds. */
export function cutoffsOf({ presence, thresholds }: Pick<Decision, 'presence' | 'thresholds'>): Cutoffs {
  if (presence === null) return { presence: 0, thresholds: thresholds.map(() => Number.POSITIVE_INFINITY) };
  return { presence, thresholds: thresholds.map((threshold) => threshold ?? Number.POSITIVE_INFINITY) };
}

/** Throws if the classes differ from those of the fit. */
export function checkDecisionClasses(decision: Decision, classNames: readonly string[]): void {
  if (areSameClasses(decision.classNames, classNames)) return;
  throw new RangeError(
    `the decision is for the classes ${decision.classNames.join(', ')}; the scores have ${classNames.join(', ')}`,
  );
}

/** Throws if a decision is evaluated on the data that it was fitted on. */
export function refuseFittedSplit({ fittedOn, fingerprint }: Decision, judged: Scored): void {
  if (fittedOn === null || fingerprint === null) return;
  refuseSameSplit({ fittedOn, fingerprint }, judged, 'decision was');
}
