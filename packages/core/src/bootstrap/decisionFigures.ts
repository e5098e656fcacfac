// The figures of a decision when each row counts as often as its multiplicity says.

import type { Cutoffs } from '../decisions/decision.js';
import { countPredicted, type Multiplicities, timesOf } from '../metrics/classCounts.js';
import { countRows, passingMultiplicities } from '../metrics/measure.js';
import { measurementAt } from '../metrics/measurement.js';
import type { RankedScores } from '../metrics/rankedClasses.js';
import { fBeta } from '../metrics/rates.js';

/** What a decision is compared by. */
export const decisionFigureNames = ['macroF1', 'macroF2', 'f1Neg', 'falseAlarmRate'] as const;
export type DecisionFigure = (typeof decisionFigureNames)[number];

/** `falseAlarmRate` is null without negatives. */
export type DecisionFigures = Readonly<Record<DecisionFigure, number | null>>;

/** Ranked scores with what is needed to judge many decisions on them. */
export interface JudgedRows extends RankedScores {
  readonly presence: Float64Array;
  /** The rows in which each class is present. */
  readonly presentRows: readonly Uint32Array[];
}

/** Those of `measure`, without what it finds besides. */
export function decisionFigures(
  rows: JudgedRows,
  cutoffs: Cutoffs,
  multiplicities: Multiplicities,
): DecisionFigures {
  const setting = measurementAt(rows, cutoffs, rows.presence);
  const passing = passingMultiplicities(setting, multiplicities);
  let [f1, f2] = [0, 0];
  rows.classes.forEach((entries, j) => {
    const { truePositives, falsePositives } = countPredicted(entries, setting.predicted[j]!, passing);
    const falseNegatives = timesOf(rows.presentRows[j]!, multiplicities) - truePositives;
    f1 += fBeta({ truePositives, falsePositives, falseNegatives }, 1);
    f2 += fBeta({ truePositives, falsePositives, falseNegatives }, 2);
  });
  const { noClass, anyClass, negative } = countRows(setting, multiplicities);
  return {
    macroF1: f1 / rows.classes.length,
    macroF2: f2 / rows.classes.length,
    f1Neg: fBeta(noClass, 1),
    falseAlarmRate: negative === 0 ? null : anyClass.falsePositives / negative,
  };
}

/** Something for each of the figures. */
export function eachDecisionFigure<Value>(
  of: (figure: DecisionFigure) => Value,
): Record<DecisionFigure, Value> {
  return {
    macroF1: of('macroF1'),
    macroF2: of('macroF2'),
    f1Neg: of('f1Neg'),
    falseAlarmRate: of('falseAlarmRate'),
  };
}
