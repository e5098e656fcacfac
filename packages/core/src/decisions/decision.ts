import type { DecisionCutoffs } from '../metrics/decisionCutoffs.js';

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
export interface Decision extends DecisionCutoffs {
  readonly budget: DecisionBudget;
  readonly beta: number;
  /** Per-class thresholds are moved toward the shared one with weight kappa / (positives + kappa). */
  readonly kappa: number;
  readonly report: DecisionReport;
}
