// The decision that a model is used with: its own, or one refitted on the scores that its run saved.

import { type Decision, type FitDecisionOptions, fitDecision, type Metrics, measure } from '@anyclass/core';
import { UserError } from '../errors/userError.js';
import type { ModelDescription } from '../runs/modelFile.js';
import { isRunFolder } from '../runs/runFolder.js';
import { runScores } from '../runs/runScores.js';
import { type FittedDecision, fitOnValidation } from './decide.js';

/** One threshold for all classes, or options for fitting a decision on the run's validation scores. */
export type ChosenDecision = number | FitDecisionOptions;

/**
 * Returns the decision that a model is used with: the chosen one, or its own.
 *
 * @throws UserError for a threshold outside 0 to 1, or if there are no scores to fit on
 *
 * @example
 * await modelDecision('runs/sewer', description, { budget: { falseAlarms: 0.02 } })
 */
export async function modelDecision(
  model: string,
  description: ModelDescription,
  chosen: ChosenDecision | undefined,
): Promise<Decision> {
  if (chosen === undefined) return ownDecision(description);
  if (typeof chosen === 'number') {
    if (!(chosen >= 0 && chosen <= 1))
      throw new UserError(`decision is ${chosen}; expected a threshold from 0 to 1`);
    return fixedDecision(description.classes, chosen);
  }
  if (chosen.rule === 'fixed' && typeof chosen.threshold === 'number')
    return fixedDecision(description.classes, chosen.threshold);
  return (await refitDecision(model, chosen)).decision;
}

/**
 * Refits a run's decision on its saved validation scores, without training again.
 *
 * @throws UserError for a bare model file, which has no scores
 *
 * @example
 * const { decision } = await refitDecision('runs/sewer', { budget: { falseAlarms: 0.02 } });
 */
export async function refitDecision(
  run: string,
  options: FitDecisionOptions,
  note?: (text: string) => void,
): Promise<FittedDecision & { readonly test: Metrics | undefined }> {
  if (!isRunFolder(run)) {
    throw new UserError(
      `${run} is a model file without scores to fit a decision on; name the folder of its run, or use the model's own decision or a fixed threshold`,
    );
  }
  const fitted = fitOnValidation(await runScores(run, 'validation'), options, { ...(note && { note }) });
  return { ...fitted, test: await savedTest(run, fitted.decision) };
}

/** Metrics on the saved test scores; undefined if the run has none. */
async function savedTest(run: string, decision: Decision): Promise<Metrics | undefined> {
  try {
    return measure(await runScores(run, 'test'), { threshold: decision });
  } catch (error) {
    if (error instanceof UserError && error.code !== 'scores-damaged') return undefined;
    throw error;
  }
}

/** A model's own decision, or a threshold of 0.5 if training fitted none. */
export function ownDecision({ classes, decision }: ModelDescription): Decision {
  return decision ?? fixedDecision(classes, 0.5);
}

/**
 * Returns a decision with one threshold for all classes.
 *
 * @example
 * fixedDecision(['crack', 'roots'], 0.3).thresholds // [0.3, 0.3]
 */
export function fixedDecision(classes: readonly string[], threshold: number): Decision {
  // Nothing is fitted; the row only provides the classes.
  const row = {
    scores: new Float64Array(classes.length),
    targets: classes.map(() => 0),
    classNames: classes,
  };
  return fitDecision(row, { rule: 'fixed', threshold });
}
