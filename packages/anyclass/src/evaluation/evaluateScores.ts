// Evaluates saved scores against labels. Nothing here needs the engine.

import { resolve } from 'node:path';
import { type FitDecisionOptions, fingerprintOf, type Scored, sharedRows } from '@anyclass/core';
import { UserError } from '../errors/userError.js';
import type { Judgment } from '../events/judgment.js';
import { changedDecision } from '../inference/changedDecision.js';
import { type CalibrationMethod, fitOnValidation, helpfulCalibration } from '../inference/decide.js';
import { calibratedScores } from '../runs/calibratedScores.js';
import { joinTables, readTable } from '../runs/scoreFiles.js';
import { type ImportanceByClass, importanceInOrder } from './classImportance.js';
import { type GivenCosts, pricedDecision } from './costs.js';
import { type JudgeOptions, judge } from './judge.js';

export interface EvaluateScoresOptions
  extends Pick<JudgeOptions, 'replicates' | 'confidence' | 'prevalence'> {
  /** CSV with `Filename` and a probability per class. */
  readonly scores: string;
  /** CSV with `Filename` and a label per class: 0, 1, a number in between, or empty for unknown. */
  readonly labels: string;
  /** Scores and labels of other data, to fit a decision and a calibration on. */
  readonly fitScores?: string | undefined;
  readonly fitLabels?: string | undefined;
  /**
   * The column of the label tables with the group of each row, such as its patient, if rows of one group are
   * not independent.
   */
  readonly groupColumn?: string | undefined;
  /** How the decision is fitted. Default: a gate that guarantees at most 5% false alarms. */
  readonly decision?: FitDecisionOptions | undefined;
  /** What mistakes cost: the budget is the one that minimizes it. */
  readonly costs?: Omit<GivenCosts, 'prevalence'> | undefined;
  /** How probabilities are calibrated, if that helps on the fitting data. Default 'none': not at all. */
  readonly calibration?: CalibrationMethod | undefined;
  /** Weights for F2-CIW, by class or in the order of the label columns. */
  readonly classImportance?: ImportanceByClass | readonly number[] | undefined;
}

/**
 * Evaluates scores from any program, matched to their labels by file name.
 *
 * @example
 * const { metrics } = await evaluateScores({ scores: 'scores.csv', labels: 'labels.csv' });
 * metrics.mAP
 */
export async function evaluateScores(options: EvaluateScoresOptions): Promise<Judgment> {
  const { scores, labels, fitScores, fitLabels, groupColumn } = options;
  const { replicates, confidence, prevalence } = options;
  if ((fitScores === undefined) !== (fitLabels === undefined)) {
    throw new UserError('fitScores and fitLabels must be given together');
  }
  const judging = { replicates, confidence, prevalence };
  if (fitScores === undefined || fitLabels === undefined) {
    const judged = await labeledScores(scores, labels, groupColumn);
    return judgeTables(judged, { ...judging, classImportance: inOrder(options.classImportance, judged) });
  }
  const { rows, ...fitted } = await fitOn(fitScores, fitLabels, options);
  const judged = await labeledScores(scores, labels, groupColumn);
  if (rows.classNames.join() !== judged.classNames.join()) {
    throw new UserError(`${fitLabels} and ${labels} do not have the same classes in the same order`);
  }
  if (rows.fingerprint === fingerprintOf(judged)) throw sameData(fitScores);
  return judgeTables(calibratedScores(judged, fitted.calibration), {
    ...judging,
    ...fitted,
    shared: sharedRows(rows, judged),
    uncalibrated: judged,
  });
}

/** Fits on other data. Its scores are not kept: those to judge are read after this, and both together would take twice the memory. */
async function fitOn(scores: string, labels: string, options: EvaluateScoresOptions) {
  const { decision = {}, calibration = 'none', prevalence, groupColumn } = options;
  const fitting = await labeledScores(scores, labels, groupColumn);
  if (resolve(scores) === resolve(options.scores)) throw sameData(scores);
  const classImportance = inOrder(options.classImportance, fitting);
  const helpful = helpfulCalibration(fitting, calibration);
  const ready = calibratedScores(fitting, helpful);
  const priced = options.costs && pricedDecision(ready, decision, { ...options.costs, prevalence });
  const { names, groups, classNames } = fitting;
  return {
    ...fitOnValidation(ready, priced ? changedDecision(undefined, priced.decision) : decision, {
      classImportance,
    }),
    classImportance,
    costs: priced?.costs,
    calibration: helpful,
    rows: { names, groups, classNames, fingerprint: fingerprintOf(fitting) },
  };
}

function sameData(fitScores: string): UserError {
  return new UserError(
    `${fitScores} holds the data being evaluated, so a decision fitted on it would look better than it is; fit on other data, such as the validation split`,
  );
}

function inOrder(
  importance: EvaluateScoresOptions['classImportance'],
  { classNames }: Scored,
): readonly number[] | undefined {
  return importance === undefined || isList(importance)
    ? importance
    : importanceInOrder(importance, classNames);
}

// Array.isArray does not tell a readonly list from the other member of a union.
function isList(importance: ImportanceByClass | readonly number[]): importance is readonly number[] {
  return Array.isArray(importance);
}

interface NamedScores extends Scored {
  readonly names: readonly string[];
}

async function labeledScores(
  scores: string,
  labels: string,
  groupColumn: string | undefined,
): Promise<NamedScores> {
  const table = await readTable(labels, { groupColumn });
  if (table.values.every(Number.isNaN))
    throw new UserError(`${labels}: holds no labels; expected numbers from 0 to 1 (or empty for unknown)`);
  return {
    ...joinTables(await readTable(scores, { likely: table.names }), table, scores),
    names: table.names,
  };
}

function judgeTables(...given: Parameters<typeof judge>): Judgment {
  try {
    return judge(...given);
  } catch (error) {
    // Errors that core throws here are caused by the files.
    throw error instanceof RangeError ? new UserError(error.message) : error;
  }
}
