// The figures of the paper's tables alone, for many models in many replicates: one walk over each class gives its AP, and
// the thresholds of any number of settings are counted beside it.

import { countPredicted, countRanks, type Multiplicities } from '../metrics/classCounts.js';
import { countRows, metricsAt, passingMultiplicities } from '../metrics/measure.js';
import {
  type Measurement,
  type MeasureOptions,
  prepareMeasurements,
  type Threshold,
} from '../metrics/measurement.js';
import { fBeta } from '../metrics/rates.js';
import type { Scored } from '../metrics/scored.js';

/** The columns of the paper's tables, and the share of negatives with a false alarm, which is what F1 is bought with. */
export const paperFigureNames = ['macroF1', 'macroF2', 'f2Ciw', 'mAP', 'f1Neg', 'falseAlarmRate'] as const;
export type PaperFigure = (typeof paperFigureNames)[number];
export type PaperFigures = Readonly<Record<PaperFigure, number | null>>;

/** A model's ranked scores, with what is predicted at each setting of thresholds. */
export interface PreparedModel {
  readonly rows: number;
  readonly settings: readonly Measurement[];
}

/** Ranks a model's scores for `paperFigures`. */
export function prepareModel(
  scored: Scored,
  thresholds: readonly Threshold[],
  options: Omit<MeasureOptions, 'threshold'>,
): PreparedModel {
  const settings = prepareMeasurements(scored, thresholds, options);
  return { rows: settings[0]!.ranked.rows, settings };
}

/** The figures at each setting on the data as it is. */
export function wholeFigures({ rows, settings }: PreparedModel): PaperFigures[] {
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

/** The figures at each setting when each row counts as often as `multiplicities` says; those of `metricsOf`. */
export function drawnFigures({ settings }: PreparedModel, multiplicities: Multiplicities): PaperFigures[] {
  const classes = settings[0]!.ranked.classes;
  const ranks = classes.map((entries) => countRanks(entries, multiplicities));
  const precisions = ranks.flatMap(({ averagePrecision }) => averagePrecision ?? []);
  const mAP =
    precisions.length === 0 ? null : precisions.reduce((sum, each) => sum + each, 0) / precisions.length;
  const present = ranks.map((rank) => rank.present);
  return settings.map((setting) => ({ ...figuresAt(setting, present, multiplicities), mAP }));
}

/** The figures that depend on what is predicted: all but mAP. `present` is how often each class is. */
export function figuresAt(
  setting: Measurement,
  present: readonly number[],
  multiplicities: Multiplicities,
): Omit<PaperFigures, 'mAP'> {
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
 * Something for each of the paper's figures.
 *
 * @example
 * eachFigure((figure) => metrics[figure]).mAP // 0.4252
 */
export function eachFigure<Value>(of: (figure: PaperFigure) => Value): Record<PaperFigure, Value> {
  return {
    macroF1: of('macroF1'),
    macroF2: of('macroF2'),
    f2Ciw: of('f2Ciw'),
    mAP: of('mAP'),
    f1Neg: of('f1Neg'),
    falseAlarmRate: of('falseAlarmRate'),
  };
}
