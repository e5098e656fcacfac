/** A metric that the data does not define, such as the AP of a class that is never present. */
export interface UndefinedMetric {
  /** The key in `Metrics`. */
  readonly metric: string;
  /** Left out for a metric over all classes. */
  readonly className?: string;
  readonly reason: string;
}

/**
 * All metrics of one model on one set of rows. Lists have one entry per class, in the order of `classNames`.
 * An undefined metric is null, and `undefinedMetrics` says why; means leave it out.
 */
export interface Metrics {
  readonly classNames: readonly string[];
  /** Positive and negative rows together. */
  readonly rows: number;
  readonly positiveRows: number;
  readonly negativeRows: number;
  /** Rows that an unknown label could make positive; only their known labels count, in the per-class metrics. */
  readonly undecidedRows: number;
  /** Null for a class that a decision never predicts. */
  readonly thresholds: readonly (number | null)[];

  readonly macroF1: number;
  readonly macroF2: number;
  readonly macroPrecision: number;
  readonly macroRecall: number;
  readonly microF1: number;
  readonly microF2: number;
  readonly microPrecision: number;
  readonly microRecall: number;
  readonly mAP: number | null;
  readonly rocAuc: number | null;
  /** F2 weighted by class importance; null if no importance was given. */
  readonly f2Ciw: number | null;

  readonly perClassF1: readonly number[];
  readonly perClassF2: readonly number[];
  readonly perClassPrecision: readonly number[];
  readonly perClassRecall: readonly number[];
  readonly perClassAP: readonly (number | null)[];
  readonly perClassAUC: readonly (number | null)[];

  /** 'No class predicted' versus rows without a true class. Any predicted class counts, whether or not its label is known. */
  readonly f1Neg: number;
  readonly f2Neg: number;
  readonly precisionNeg: number;
  readonly recallNeg: number;
  /** The share of negative rows in which any class is predicted, 1 - recallNeg; null without negative rows. */
  readonly falseAlarmRate: number | null;
  /**
   * The false-alarm rate of a random negative row of a random group: the mean of the groups' own rates; the rate over rows
   * weighs large groups more. Null without groups or negative rows.
   */
  readonly falseAlarmRateByGroup: number | null;
  /** The same of `negativesAlarmed`. A promise on grouped data limits this rate, and with it the one before. */
  readonly negativesAlarmedByGroup: number | null;
  /**
   * The share of negative rows whose outcome is an alarm; null without negative rows. At least `falseAlarmRate` with a gate,
   * since a row can alarm without a class that reaches its threshold; equal to it without one.
   */
  readonly negativesAlarmed: number | null;
  /** The share of positive rows whose outcome is clear; null without positive rows. */
  readonly missedRate: number | null;
  /** The same of a random positive row of a random group, which a promise on grouped data limits. Null without groups or positive rows. */
  readonly missedRateByGroup: number | null;
  /** The share of rows whose outcome is review, 0 unless the decision limits missed positives too; null without decided rows. */
  readonly reviewRate: number | null;
  /**
   * Of the groups without a positive or undecided row, the share in which any row alarms; of those with a positive row, the
   * share that is cleared, because all their rows are. Null without such groups. Promises per group are about these.
   */
  readonly groupsAlarmed: number | null;
  readonly groupsMissed: number | null;
  /** 'Any class predicted' versus rows with a true class. */
  readonly f1Any: number;
  readonly f2Any: number;
  readonly precisionAny: number;
  readonly recallAny: number;

  /** Means over the classes of the false negative and false positive rates. */
  readonly fnr: number | null;
  readonly fpr: number | null;
  readonly fprInPositives: number | null;
  readonly fprInNegatives: number | null;

  readonly truePositives: readonly number[];
  readonly falsePositives: readonly number[];
  readonly falseNegatives: readonly number[];
  readonly trueNegatives: readonly number[];
  readonly undefinedMetrics: readonly UndefinedMetric[];
}
