// Saved scores against labels. Nothing here needs the engine.

import { joinTables, readTable } from '../runFolder/scoreFiles.js';
import { UserError } from '../userError.js';
import { type FitOptions, fitOnValidation, type Judgement, type JudgeOptions, judge } from './judge.js';

export interface EvaluateScoresOptions
  extends Pick<JudgeOptions, 'replicates' | 'confidence' | 'classImportance'> {
  /** CSV with `Filename` and a probability per class. */
  readonly scores: string;
  /** CSV with `Filename` and 0, 1 or nothing per class. */
  readonly labels: string;
  /** Scores and labels of other data, to fit thresholds and calibration on. */
  readonly fitScores?: string | undefined;
  readonly fitLabels?: string | undefined;
  /** Fit one for each class (default), or one for all that keeps the F1-Neg at 0.5, in steps of 0.01. */
  readonly thresholds?: FitOptions['thresholds'];
  /** The fitted thresholds maximise this Fβ. Default 1. */
  readonly thresholdBeta?: number | undefined;
}

/**
 * Judges scores from any program, matched to their labels by file name.
 *
 * @example
 * const { metrics } = await evaluateScores({ scores: 'scores.csv', labels: 'labels.csv' });
 * metrics.mAP
 */
export async function evaluateScores(options: EvaluateScoresOptions): Promise<Judgement> {
  const {
    scores,
    labels,
    fitScores,
    fitLabels,
    thresholds = 'class',
    thresholdBeta = 1,
    ...judging
  } = options;
  if ((fitScores === undefined) !== (fitLabels === undefined)) {
    throw new UserError('fitScores and fitLabels go together');
  }
  const judged = joinTables(await readTable(scores), await readTable(labels), scores);
  if (fitScores === undefined || fitLabels === undefined) return judgeTables(judged, judging);
  const fitting = joinTables(await readTable(fitScores), await readTable(fitLabels), fitScores);
  if (fitting.classNames.join() !== judged.classNames.join()) {
    throw new UserError(`${fitLabels} and ${labels} do not have the same classes in the same order`);
  }
  return judgeTables(judged, {
    ...judging,
    ...fitOnValidation(fitting, { thresholds, thresholdBeta, calibration: 'temperature' }),
  });
}

function judgeTables(...given: Parameters<typeof judge>): Judgement {
  try {
    return judge(...given);
  } catch (error) {
    // What core refuses here is what stands in the files.
    throw error instanceof RangeError ? new UserError(error.message) : error;
  }
}
