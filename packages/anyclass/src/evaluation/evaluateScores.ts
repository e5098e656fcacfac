// Saved scores against labels. Nothing here needs the engine.

import { resolve } from 'node:path';
import type { Scored } from '@anyclass/core';
import { UserError } from '../errors/userError.js';
import type { Judgment } from '../events/judgment.js';
import { joinTables, readTable } from '../runs/scoreFiles.js';
import { type ImportanceByClass, importanceInOrder } from './classImportance.js';
import { type FitOptions, fitOnValidation, type JudgeOptions, judge } from './judge.js';

export interface EvaluateScoresOptions extends Pick<JudgeOptions, 'replicates' | 'confidence'> {
  /** CSV with `Filename` and a probability per class. */
  readonly scores: string;
  /** CSV with `Filename` and 0, 1 or nothing per class. */
  readonly labels: string;
  /** Scores and labels of other data, to fit thresholds and calibration on. */
  readonly fitScores?: string | undefined;
  readonly fitLabels?: string | undefined;
  /** Fit one for each class (default), or one for all that keeps the F1-Neg at 0.5, in steps of 0.01. */
  readonly thresholds?: FitOptions['thresholds'];
  /** The fitted thresholds maximize this Fβ. Default 1. */
  readonly thresholdBeta?: number | undefined;
  /** How probabilities are calibrated on that data. Default 'temperature'. */
  readonly calibration?: FitOptions['calibration'] | undefined;
  /** Weights of F2-CIW, by class or in the order of the labels' columns. */
  readonly classImportance?: ImportanceByClass | readonly number[] | undefined;
}

/**
 * Judges scores from any program, matched to their labels by file name.
 *
 * @example
 * const { metrics } = await evaluateScores({ scores: 'scores.csv', labels: 'labels.csv' });
 * metrics.mAP
 */
export async function evaluateScores(options: EvaluateScoresOptions): Promise<Judgment> {
  const {
    scores,
    labels,
    fitScores,
    fitLabels,
    thresholds = 'class',
    thresholdBeta = 1,
    calibration = 'temperature',
    classImportance,
    ...rest
  } = options;
  if ((fitScores === undefined) !== (fitLabels === undefined)) {
    throw new UserError('fitScores and fitLabels go together');
  }
  const judged = await labeledScores(scores, labels);
  const judging = { ...rest, classImportance: inOrder(classImportance, judged) };
  if (fitScores === undefined || fitLabels === undefined) return judgeTables(judged, judging);
  const fitting = await labeledScores(fitScores, fitLabels);
  if (fitting.classNames.join() !== judged.classNames.join()) {
    throw new UserError(`${fitLabels} and ${labels} do not have the same classes in the same order`);
  }
  if (resolve(fitScores) === resolve(scores) || isSameData(fitting, judged)) {
    throw new UserError(
      `${fitScores} holds the data that are judged: thresholds that were fitted there would look better than they are. Fit on other data, such as the validation split (--fit-scores, --fit-labels)`,
    );
  }
  return judgeTables(judged, {
    ...judging,
    ...fitOnValidation(fitting, { thresholds, thresholdBeta, calibration }),
  });
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

async function labeledScores(scores: string, labels: string): Promise<Scored> {
  const table = await readTable(labels);
  if (table.values.every(Number.isNaN))
    throw new UserError(`${labels}: holds no label at all; expected 0 or 1 (or empty for unknown)`);
  return joinTables(await readTable(scores), table, scores);
}

function isSameData(first: Scored, second: Scored): boolean {
  const { scores, targets } = second;
  return (
    first.scores.length === scores.length &&
    first.scores.every((score, i) => score === scores[i] && Object.is(first.targets[i], targets[i]))
  );
}

function judgeTables(...given: Parameters<typeof judge>): Judgment {
  try {
    return judge(...given);
  } catch (error) {
    // What core refuses here is what stands in the files.
    throw error instanceof RangeError ? new UserError(error.message) : error;
  }
}
