import { ROW_NEGATIVE, ROW_POSITIVE, ROW_UNDECIDED } from '../labels/instancePresence.js';
import {
  countPredicted,
  countRanks,
  type Multiplicities,
  type PredictedCounts,
  type RankCounts,
} from './classCounts.js';
import {
  falseAlarmRateByGroup,
  groupOutcomeRates,
  missedRateByGroup,
  negativesAlarmedByGroup,
} from './groupRates.js';
import {
  type Measurement,
  type MeasureOptions,
  prepareMeasurement,
  prepareMeasurements,
  type StatedRows,
  type Threshold,
} from './measurement.js';
import type { Metrics } from './metrics.js';
import type { OutcomeCounts } from './outcomes.js';
import { ROW_ALARM, ROW_CLEAR, ROW_REVIEW } from './outcomes.js';
import type { RankedScores } from './rankedClasses.js';
import { type Confusion, fBeta, precision, recall, summed } from './rates.js';
import type { Scored } from './scored.js';
import { undefinedMetricsOf } from './undefinedMetrics.js';

/**
 * Computes all metrics of a model's scores.
 *
 * @example
 * const scored = {
 *   scores: new Float64Array([0.9, 0.2, 0.6, 0.1, 0.3, 0.7]),
 *   targets: [1, 0, 0, 0, 0, 1],
 *   classNames: ['crack', 'roots'],
 * };
 * const { macroF1, perClassAP, f1Neg } = measure(scored);
 * // macroF1 0.8333333333333333, perClassAP [1, 1], f1Neg 0
 */
export function measure(scored: Scored, options: MeasureOptions = {}): Metrics {
  const measurement = prepareMeasurement(scored, options);
  return metricsOf(measurement, new Uint16Array(measurement.ranked.rows).fill(1));
}

/**
 * Does the same for several threshold settings; the scores are ranked once.
 *
 * @example
 * const [atHalf, decided] = measureAt(test, [0.5, decision]);
 */
export function measureAt(
  scored: Scored,
  thresholds: readonly Threshold[],
  options: Omit<MeasureOptions, 'threshold'> = {},
): Metrics[] {
  const settings = prepareMeasurements(scored, thresholds, options);
  const [first] = settings;
  return first === undefined ? [] : metricsAt(settings, new Uint16Array(first.ranked.rows).fill(1));
}

/** Returns the metrics with each row counted `multiplicities` times. */
export function metricsOf(measurement: Measurement, multiplicities: Multiplicities): Metrics {
  return metricsAt([measurement], multiplicities)[0]!;
}

/** Returns the metrics of one model at several threshold settings, in one pass over its scores. */
export function metricsAt(settings: readonly Measurement[], multiplicities: Multiplicities): Metrics[] {
  const ranks = ranksOf(settings[0]!.ranked, multiplicities);
  return settings.map((setting) => metricsOfSetting(setting, ranks, multiplicities));
}

/** Counts what does not depend on thresholds: once for all settings. */
export function ranksOf({ classes }: RankedScores, multiplicities: Multiplicities): RankCounts[] {
  return classes.map((ranking) => countRanks(ranking, multiplicities));
}

/** All counts behind a class's metrics. */
export type ClassCounts = RankCounts & PredictedCounts;

/** Returns the metrics at one setting. */
export function metricsOfSetting(
  measurement: Measurement,
  ranks: readonly RankCounts[],
  multiplicities: Multiplicities,
): Metrics {
  const { ranked } = measurement;
  const passing = passingMultiplicities(measurement, multiplicities);
  const counts = ranks.map((rank, j) => ({
    ...rank,
    ...countPredicted(ranked.classes[j]!, measurement.predicted[j]!, passing),
  }));
  return metricsOfCounts(measurement, counts, countRows(measurement, multiplicities), multiplicities);
}

/** Returns the metrics from the counts of classes and rows; groups are counted here. */
export function metricsOfCounts(
  measurement: Measurement,
  counts: readonly ClassCounts[],
  rows: RowCounts,
  multiplicities: Multiplicities,
): Metrics {
  const { ranked, thresholds, classImportance } = measurement;
  const confusions = counts.map(confusionOf);
  const micro = summed(confusions);
  const perClassF1 = confusions.map((confusion) => fBeta(confusion, 1));
  const perClassF2 = confusions.map((confusion) => fBeta(confusion, 2));
  const perClassPrecision = confusions.map(precision);
  const perClassRecall = confusions.map(recall);
  const perClassAP = counts.map((count) => count.averagePrecision);
  const perClassAUC = counts.map((count) => count.rocAuc);
  const nullable = {
    perClassAP,
    perClassAUC,
    mAP: meanOfDefined(perClassAP),
    rocAuc: meanOfDefined(perClassAUC),
    f2Ciw: classImportance === undefined ? null : weightedMean(perClassF2, classImportance),
    ...falseRates(counts),
    falseAlarmRate: shareOf(rows.anyClass.falsePositives, rows.negative),
    falseAlarmRateByGroup: falseAlarmRateByGroup(measurement, multiplicities),
    negativesAlarmedByGroup: negativesAlarmedByGroup(measurement, multiplicities),
    ...groupOutcomeRates(measurement, multiplicities),
    negativesAlarmed: shareOf(rows.outcomes.negatives.alarm, rows.negative),
    missedRate: shareOf(rows.outcomes.positives.clear, rows.positive),
    missedRateByGroup: missedRateByGroup(measurement, multiplicities),
    reviewRate: shareOf(
      rows.outcomes.positives.review + rows.outcomes.negatives.review,
      rows.positive + rows.negative,
    ),
  };
  return {
    classNames: ranked.classNames,
    rows: rows.positive + rows.negative,
    positiveRows: rows.positive,
    negativeRows: rows.negative,
    undecidedRows: rows.undecided,
    thresholds: thresholds.map((threshold) => (threshold === Number.POSITIVE_INFINITY ? null : threshold)),
    macroF1: mean(perClassF1),
    macroF2: mean(perClassF2),
    macroPrecision: mean(perClassPrecision),
    macroRecall: mean(perClassRecall),
    microF1: fBeta(micro, 1),
    microF2: fBeta(micro, 2),
    microPrecision: precision(micro),
    microRecall: recall(micro),
    perClassF1,
    perClassF2,
    perClassPrecision,
    perClassRecall,
    f1Neg: fBeta(rows.noClass, 1),
    f2Neg: fBeta(rows.noClass, 2),
    precisionNeg: precision(rows.noClass),
    recallNeg: recall(rows.noClass),
    f1Any: fBeta(rows.anyClass, 1),
    f2Any: fBeta(rows.anyClass, 2),
    precisionAny: precision(rows.anyClass),
    recallAny: recall(rows.anyClass),
    ...nullable,
    truePositives: confusions.map((confusion) => confusion.truePositives),
    falsePositives: confusions.map((confusion) => confusion.falsePositives),
    falseNegatives: confusions.map((confusion) => confusion.falseNegatives),
    trueNegatives: counts.map((count) => count.absent - count.falsePositives),
    undefinedMetrics: undefinedMetricsOf(nullable, ranked.classNames),
  };
}

function confusionOf({ truePositives, falsePositives, present }: ClassCounts): Confusion {
  return { truePositives, falsePositives, falseNegatives: present - truePositives };
}

/** Returns how often each row counts among the predictions: 0 if a decision's gate stops it. */
export function passingMultiplicities(
  { passes }: Measurement,
  multiplicities: Multiplicities,
): Multiplicities {
  if (passes === undefined) return multiplicities;
  const passing = new Uint16Array(multiplicities.length);
  for (let row = 0; row < passing.length; row++) passing[row] = multiplicities[row]! * passes[row]!;
  return passing;
}

/** Counts rows by kind, by whether any class is predicted in them, and by outcome. */
export function countRows({ ranked, rowStates }: StatedRows, multiplicities: Multiplicities) {
  const tally = new Float64Array(ROW_CELLS);
  for (let row = 0; row < ranked.rows; row++) {
    tally[STATES * ranked.rowKinds[row]! + rowStates[row]!]! += multiplicities[row]!;
  }
  return rowCountsOf(tally);
}

/** Returns the kind and state of each row as one number. */
export function rowCells({ ranked, rowStates }: Measurement): Uint8Array {
  return rowStates.map((state, row) => STATES * ranked.rowKinds[row]! + state);
}

export type RowCounts = ReturnType<typeof rowCountsOf>;

/** Returns the counts of rows from how many there are of each kind and state. */
export function rowCountsOf(tally: Float64Array) {
  const positives = countsOf(tally.subarray(STATES * ROW_POSITIVE));
  const negatives = countsOf(tally.subarray(STATES * ROW_NEGATIVE));
  const undecided = countsOf(tally.subarray(STATES * ROW_UNDECIDED));
  const [found, missed] = [positives.predicted, positives.rows - positives.predicted];
  const [falseAlarms, quiet] = [negatives.predicted, negatives.rows - negatives.predicted];
  return {
    positive: positives.rows,
    negative: negatives.rows,
    undecided: undecided.rows,
    anyClass: { truePositives: found, falsePositives: falseAlarms, falseNegatives: missed },
    noClass: { truePositives: quiet, falsePositives: missed, falseNegatives: falseAlarms },
    outcomes: {
      positives: positives.outcomes,
      negatives: negatives.outcomes,
      undecided: undecided.outcomes,
    },
  };
}

/** Two states for each of the three outcomes: without and with a predicted class. */
export const STATES = 6;
export const ROW_CELLS = 3 * STATES;

function countsOf(states: Float64Array) {
  const at = (outcome: number) => states[2 * outcome]! + states[2 * outcome + 1]!;
  const outcomes: OutcomeCounts = { clear: at(ROW_CLEAR), review: at(ROW_REVIEW), alarm: at(ROW_ALARM) };
  return {
    rows: outcomes.clear + outcomes.review + outcomes.alarm,
    predicted: states[1]! + states[3]! + states[5]!,
    outcomes,
  };
}

function falseRates(counts: readonly ClassCounts[]) {
  const meanRate = (part: (count: ClassCounts) => number, whole: (count: ClassCounts) => number) =>
    meanOfDefined(counts.map((count) => (whole(count) === 0 ? null : part(count) / whole(count))));
  return {
    fnr: meanRate(
      (count) => count.present - count.truePositives,
      (count) => count.present,
    ),
    fpr: meanRate(
      (count) => count.falsePositives,
      (count) => count.absent,
    ),
    fprInPositives: meanRate(
      (count) => count.falsePositives - count.falsePositivesInNegatives - count.falsePositivesInUndecided,
      (count) => count.absent - count.absentInNegatives - count.absentInUndecided,
    ),
    fprInNegatives: meanRate(
      (count) => count.falsePositivesInNegatives,
      (count) => count.absentInNegatives,
    ),
  };
}

function shareOf(part: number, whole: number): number | null {
  return whole === 0 ? null : part / whole;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function meanOfDefined(values: readonly (number | null)[]): number | null {
  const defined = values.filter((value) => value !== null);
  return defined.length === 0 ? null : mean(defined);
}

function weightedMean(values: readonly number[], weights: ArrayLike<number>): number {
  let weighted = 0;
  let total = 0;
  values.forEach((value, j) => {
    weighted += weights[j]! * value;
    total += weights[j]!;
  });
  return weighted / total;
}
