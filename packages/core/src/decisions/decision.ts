import type { DecisionCutoffs } from '../metrics/decisionCutoffs.js';
import type { OutcomeCounts } from '../metrics/outcomes.js';
import type { Candidates, Guarantee, PromiseUnit } from './guarantee.js';

/** The price that the user is willing to pay. */
export type DecisionBudget = FalseAlarmBudget | NegativeF1Budget;

/** A limit on false alarms and, optionally, on missed positives. */
export interface FalseAlarmBudget {
  /** The largest share of negative instances that may alarm. */
  readonly falseAlarms: number;
  /**
   * The largest share of positive instances that may be cleared. With it, rows have three outcomes: clear, review and alarm.
   * For rule `gate`.
   */
  readonly missed?: number;
  /** Confidence that each limit also holds on new data; null enforces them on the data of the fit only. Default 0.95. */
  readonly confidence?: number | null;
  /**
   * What the limits count, if rows have groups: `image` (default), a random row of a random group; `group`, whole groups: at
   * most `falseAlarms` of the groups without positives get any alarm, and at most `missed` of those with one are cleared.
   */
  readonly per?: PromiseUnit;
}

/** A minimum F1 of 'no class predicted': a number, or the F1 at a threshold of 0.5 for all classes. */
export interface NegativeF1Budget {
  readonly f1Neg: number | 'at 0.5';
}

/** How a decision performs on the data that it was fitted on. */
export interface DecisionReport {
  readonly positives: number;
  readonly negatives: number;
  /** Rows that an unknown label could make positive; they count as neither. */
  readonly undecided: number;
  /** How many groups the rows form; null without groups. */
  readonly groups: number | null;
  /**
   * Negatives with any prediction; next, their share and its one-sided 95% Clopper-Pearson bound, null without negatives. The
   * bound is also null if rows share groups, since it needs independent rows.
   */
  readonly falseAlarms: number;
  readonly falseAlarmRate: number | null;
  readonly falseAlarmBound: number | null;
  /** The false-alarm rate of a random negative of a random group; null without groups or negatives. */
  readonly falseAlarmRateByGroup: number | null;
  readonly f1Neg: number;
  /** The F1-Neg that the budget requires; null for a false-alarm budget. */
  readonly leastF1Neg: number | null;
  /** The mean F_β over the classes; next, the F_β of each class. */
  readonly macroFBeta: number;
  readonly perClassFBeta: readonly number[];
  readonly withinBudget: boolean;
  /** What is promised about false alarms. */
  readonly guarantee: Guarantee;
  /** How many rows have each outcome, and what is promised about missed positives; null if the budget does not limit them. */
  readonly triage: TriageReport | null;
  /** Classes that can never be predicted: they have no positive, or none that passes the gate. */
  readonly neverPredicted: readonly string[];
  /** Remarks for the reader, such as a budget that cannot be met or a guarantee that does not hold. */
  readonly remarks: readonly string[];
}

/** Outcomes on the data of the fit. */
export interface TriageReport {
  readonly rows: OutcomeCounts;
  readonly positives: OutcomeCounts;
  readonly negatives: OutcomeCounts;
  /** The share of positives that are cleared. */
  readonly missedRate: number;
  /** What is promised about missed positives. */
  readonly guarantee: Guarantee;
}

/** A rule with its fitted numbers. Plain JSON. */
export interface Decision extends DecisionCutoffs {
  readonly budget: DecisionBudget;
  readonly beta: number;
  /** Per-class thresholds are moved toward the shared one with weight kappa / (positives + kappa). */
  readonly kappa: number;
  readonly candidates: Candidates;
  readonly report: DecisionReport;
}
