// Computes only the metrics in the paper's tables, for many models in many replicates: one pass over each class gives its
// AP, and predictions are then counted for each threshold setting.

import { countPredicted, type Multiplicities } from '../metrics/classCounts.js';
import { type ClassTies, ranksOfDraws, tiesOf } from '../metrics/drawnMetrics.js';
import { countRows, metricsAt, passingMultiplicities } from '../metrics/measure.js';
import {
  type Measurement,
  type MeasureOptions,
  prepareMeasurements,
  type Threshold,
} from '../metrics/measurement.js';
import type { DrawBatch } from '../metrics/packedDraws.js';
import { fBeta } from '../metrics/rates.js';
import type { Scored } from '../metrics/scored.js';

/** The columns of the paper's tables, plus the false-alarm rate, which is the price paid for F1. */
export const paperMetricNames = ['macroF1', 'macroF2', 'f2Ciw', 'mAP', 'f1Neg', 'falseAlarmRate'] as const;
export type PaperMetric = (typeof paperMetricNames)[number];
export type PaperMetrics = Readonly<Record<PaperMetric, number | null>>;

/** A model's ranked scores, with the predictions at each threshold setting. */
export interface PreparedModel {
  readonly rows: number;
  readonly settings: readonly Measurement[];
  readonly classes: readonly ClassTies[];
}

/** Ranks a model's scores for `paperMetrics`. */
export function prepareModel(
  scored: Scored,
  thresholds: readonly Threshold[],
  options: Omit<MeasureOptions, 'threshold'>,
): PreparedModel {
  const settings = prepareMeasurements(scored, thresholds, options);
  const { rows, classes } = settings[0]!.ranked;
  return { rows, settings, classes: classes.map(tiesOf) };
}

/** Returns the metrics at each setting on the full data. */
export function wholeMetrics({ rows, settings }: PreparedModel): PaperMetrics[] {
  return metricsAt(settings, new Uint16Array(rows).fill(1)).map(
    ({ macroF1, macroF2, f2Ciw, mAP, f1Neg, falseAlarmRate }) => ({
      macroF1,
      macroF2,
      f2Ciw,
      mAP,
      f1Neg,
      falseAlarmRate,
    }),
  );
}

/** Returns the metrics of each replicate at each setting; they equal those of `metricsAt`. */
export function drawnMetrics({ settings, classes }: PreparedModel, batch: DrawBatch): PaperMetrics[][] {
  const ranks = ranksOfDraws(classes, batch);
  return batch.draws.map((multiplicities, d) => {
    const precisions = ranks.flatMap((rank) => rank[d]!.averagePrecision ?? []);
    const mAP =
      precisions.length === 0 ? null : precisions.reduce((sum, each) => sum + each, 0) / precisions.length;
    const present = ranks.map((rank) => rank[d]!.present);
    return settings.map((setting) => ({ ...paperMetricsAt(setting, present, multiplicities), mAP }));
  });
}

/** Returns the metrics that depend on predictions: all but mAP. `present` is how often each class is present. */
export function paperMetricsAt(
  setting: Measurement,
  present: readonly number[],
  multiplicities: Multiplicities,
): Omit<PaperMetrics, 'mAP'> {
  const { classes } = setting.ranked;
  const passing = passingMultiplicities(setting, multiplicities);
  let [f1, f2, weighted, weights] = [0, 0, 0, 0];
  classes.forEach((entries, j) => {
    const { truePositives, falsePositives } = countPredicted(entries, setting.predicted[j]!, passing);
    const falseNegatives = present[j]! - truePositives;
    const confusion = { truePositives, falsePositives, falseNegatives };
    const classF2 = fBeta(confusion, 2);
    f1 += fBeta(confusion, 1);
    f2 += classF2;
    const importance = setting.classImportance?.[j] ?? 0;
    weighted += importance * classF2;
    weights += importance;
  });
  const { noClass, anyClass, negative } = countRows(setting, multiplicities);
  return {
    macroF1: f1 / classes.length,
    macroF2: f2 / classes.length,
    f2Ciw: setting.classImportance === undefined ? null : weighted / weights,
    f1Neg: fBeta(noClass, 1),
    falseAlarmRate: negative === 0 ? null : anyClass.falsePositives / negative,
  };
}

/**
 * Builds a record with a value for each of the paper's metrics.
 *
 * @example
 * eachMetric((metric) => metrics[metric]).mAP // 0.4252
 */
export function eachMetric<Value>(of: (metric: PaperMetric) => Value): Record<PaperMetric, Value> {
  return {
    macroF1: of('macroF1'),
    macroF2: of('macroF2'),
    f2Ciw: of('f2Ciw'),
    mAP: of('mAP'),
    f1Neg: of('f1Neg'),
    falseAlarmRate: of('falseAlarmRate'),
  };
}
