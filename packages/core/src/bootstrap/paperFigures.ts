// The figures of the paper's tables alone, for many models in many replicates: one walk over each class gives its AP, and
// the thresholds of any number of settings are counted beside it.

import type { Multiplicities } from '../metrics/classCounts.js';
import { metricsOf } from '../metrics/measure.js';
import { type Measurement, type MeasureOptions, prepareMeasurement } from '../metrics/measurement.js';
import {
  ENDS_TIE,
  IS_PRESENT,
  type RankedClass,
  ROW_NEGATIVE,
  ROW_POSITIVE,
  ROW_SHIFT,
} from '../metrics/rankedClasses.js';
import { fBeta } from '../metrics/rates.js';
import type { Scored } from '../metrics/scored.js';

/** The columns of the paper's tables. */
export const paperFigureNames = ['macroF1', 'macroF2', 'f2Ciw', 'mAP', 'f1Neg'] as const;
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
  thresholds: readonly NonNullable<MeasureOptions['threshold']>[],
  options: Omit<MeasureOptions, 'threshold'>,
): PreparedModel {
  const settings = thresholds.map((threshold) => prepareMeasurement(scored, { ...options, threshold }));
  return { rows: settings[0]!.ranked.rows, settings };
}

/** The figures at each setting on the data as it is. */
export function wholeFigures({ rows, settings }: PreparedModel): PaperFigures[] {
  const once = new Uint16Array(rows).fill(1);
  return settings.map((setting) => {
    const { macroF1, macroF2, f2Ciw, mAP, f1Neg } = metricsOf(setting, once);
    return { macroF1, macroF2, f2Ciw, mAP, f1Neg };
  });
}

/** The figures at each setting when each row counts as often as `multiplicities` says; those of `metricsOf`. */
export function drawnFigures({ settings }: PreparedModel, multiplicities: Multiplicities): PaperFigures[] {
  const classes = settings[0]!.ranked.classes;
  const walked = classes.map((entries) => walk(entries, multiplicities));
  const defined = walked.filter(({ present }) => present > 0);
  const mAP =
    defined.length === 0
      ? null
      : defined.reduce((sum, { averagePrecision }) => sum + averagePrecision, 0) / defined.length;
  return settings.map((setting) => {
    let [f1, f2, weighted, weights] = [0, 0, 0, 0];
    classes.forEach((entries, j) => {
      const confusion = confusionOf(entries, setting.predicted[j]!, walked[j]!.present, multiplicities);
      const classF2 = fBeta(confusion, 2);
      f1 += fBeta(confusion, 1);
      f2 += classF2;
      const importance = setting.classImportance?.[j] ?? 0;
      weighted += importance * classF2;
      weights += importance;
    });
    return {
      macroF1: f1 / classes.length,
      macroF2: f2 / classes.length,
      f2Ciw: setting.classImportance === undefined ? null : weighted / weights,
      mAP,
      f1Neg: f1Negative(setting, multiplicities),
    };
  });
}

function walk(entries: RankedClass, multiplicities: Multiplicities) {
  let present = 0;
  let seen = 0;
  let tiedPresent = 0;
  let precisionSum = 0;
  for (let k = 0; k < entries.length; k++) {
    const entry = entries[k]!;
    const times = multiplicities[entry >>> ROW_SHIFT]!;
    seen += times;
    if (entry & IS_PRESENT) tiedPresent += times;
    if (tiedPresent === 0 || !(entry & ENDS_TIE)) continue;
    present += tiedPresent;
    precisionSum += (tiedPresent * present) / seen;
    tiedPresent = 0;
  }
  return { present, averagePrecision: precisionSum / present };
}

function confusionOf(
  entries: RankedClass,
  predicted: number,
  present: number,
  multiplicities: Multiplicities,
) {
  let truePositives = 0;
  let all = 0;
  for (let k = 0; k < predicted; k++) {
    const entry = entries[k]!;
    const times = multiplicities[entry >>> ROW_SHIFT]!;
    all += times;
    if (entry & IS_PRESENT) truePositives += times;
  }
  return { truePositives, falsePositives: all - truePositives, falseNegatives: present - truePositives };
}

/** F1 of 'no class predicted' against rows with no true class. */
function f1Negative({ ranked, predictedRows }: Measurement, multiplicities: Multiplicities): number {
  let [quiet, missed, falseAlarms] = [0, 0, 0];
  for (let row = 0; row < ranked.rows; row++) {
    const times = multiplicities[row]!;
    const kind = ranked.rowKinds[row];
    if (kind === ROW_NEGATIVE && predictedRows[row] === 1) falseAlarms += times;
    else if (kind === ROW_NEGATIVE) quiet += times;
    else if (kind === ROW_POSITIVE && predictedRows[row] === 0) missed += times;
  }
  return fBeta({ truePositives: quiet, falsePositives: missed, falseNegatives: falseAlarms }, 1);
}
