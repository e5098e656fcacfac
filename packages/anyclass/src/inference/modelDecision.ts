// The decision that a model is used with: its own, or one refitted on the scores that its run saved.

import {
  type Candidates,
  type Decision,
  describePromises,
  type FitDecisionOptions,
  fitDecision,
  type Metrics,
  measure,
} from '@anyclass/core';
import { UserError } from '../errors/userError.js';
import type { ModelDescription } from '../runs/modelFile.js';
import { isRunFolder, openRun, type RunRecord } from '../runs/runFolder.js';
import { fittingSplit, lacksGroups, runScores } from '../runs/runScores.js';
import { changedDecision, type DecisionChange } from './changedDecision.js';
import { decisionText, type FittedDecision, fitOnValidation } from './decide.js';

/** One threshold for all classes, or what to change when fitting the decision again on the run's validation scores. */
export type ChosenDecision = number | DecisionChange;

export interface UsedDecision {
  readonly decision: Decision;
  /** What a refit has to say: how it was fitted, and its metrics on validation and on the saved test scores. */
  readonly remarks: readonly string[];
}

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
): Promise<UsedDecision> {
  const isRefit = chosen !== undefined && typeof chosen !== 'number' && chosen.rule !== 'fixed';
  if (!isRefit) {
    const decision = givenDecision(description, chosen);
    return { decision, remarks: promiseLines(decision) };
  }
  const remarks: string[] = [];
  const note = (text: string) => void remarks.push(text);
  const fitted = await refitDecision(model, description.decision, chosen, note);
  const test = await savedTest(model, fitted.decision);
  return {
    decision: fitted.decision,
    remarks: [
      ...remarks,
      decisionText(fitted),
      ...(fitted.decision.report.guarantee.holds ? promiseLines(fitted.decision) : []),
      ...(test ? [testText(test)] : []),
    ],
  };
}

/** A decision that needs no scores. */
function givenDecision(description: ModelDescription, chosen: ChosenDecision | undefined): Decision {
  if (chosen === undefined) return ownDecision(description);
  if (typeof chosen === 'number') {
    if (!(chosen >= 0 && chosen <= 1))
      throw new UserError(`decision is ${chosen}; expected a threshold from 0 to 1`);
    return fixedDecision(description.classes, chosen);
  }
  return fixedDecision(description.classes, chosen.threshold ?? 0.5);
}

/**
 * Refits a run's decision on the saved scores that it was fitted on, without training again. What is not changed stays as the model
 * decides, and what validation chose among stays counted.
 *
 * @param own the model's decision
 * @throws UserError for a bare model file, which has no scores
 *
 * @example
 * const { decision } = await refitDecision('runs/sewer', description.decision, { budget: { falseAlarms: 0.02 } });
 */
export async function refitDecision(
  run: string,
  own: Decision | undefined,
  chosen: DecisionChange,
  note?: (text: string) => void,
): Promise<FittedDecision> {
  if (!isRunFolder(run)) {
    throw new UserError(
      `${run} is a model file without scores to fit a decision on; name the folder of its run, or use the model's own decision or a fixed threshold`,
    );
  }
  const { record, paths } = openRun(run);
  const options = {
    ...changedDecision(own, chosen),
    candidates: refitCandidates(record, own, chosen.candidates),
  };
  const validation = await runScores(run, fittingSplit(paths));
  const isWithoutGroups = lacksGroups(record, validation);
  if (isWithoutGroups)
    note?.(
      `The scores of ${run} were saved without their groups, so nothing can be promised about new data; train again to save them`,
    );
  return fitOnValidation(validation, isWithoutGroups ? withoutPromise(options) : options, {
    ...(note && { note }),
  });
}

/** At least what validation chose among before the run's own decision was fitted there. */
function refitCandidates(
  { configuration }: RunRecord,
  own: Decision | undefined,
  given: Candidates = 1,
): Candidates {
  const { candidates: counted = 1, fittedOn } = own ?? {};
  // Rows that were held back chose nothing.
  if (fittedOn === 'decision') return given;
  const { candidates: runs } = configuration.evaluation.decision;
  if (counted === 'adaptive' || given === 'adaptive' || runs === 'adaptive') return 'adaptive';
  return (counted / runs) * Math.max(runs, given);
}

/** What a fitted decision promises about new data, or that it is approximate. */
function promiseLines({ fittedOn, report }: Decision): string[] {
  const { guarantee, remarks } = report;
  if (!guarantee.holds) return guarantee.reason === 'adaptive choice' ? [...remarks] : [];
  const like = fittedOn ?? 'that of the fit';
  return describePromises(report).map((promise) => `On new data like ${like}, ${promise}`);
}

function withoutPromise(options: FitDecisionOptions): FitDecisionOptions {
  const { budget = { falseAlarms: 0.05 } } = options;
  return 'falseAlarms' in budget ? { ...options, budget: { ...budget, confidence: null } } : options;
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

function testText({ macroF1, falseAlarmRate }: Metrics): string {
  const alarms = falseAlarmRate === null ? '' : `, false alarms ${(100 * falseAlarmRate).toFixed(2)}%`;
  return `on test: F1 ${(100 * macroF1).toFixed(2)}${alarms}`;
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
export function fixedDecision(classes: readonly string[], threshold: number | readonly number[]): Decision {
  // Nothing is fitted; the row only provides the classes.
  const row = {
    scores: new Float64Array(classes.length),
    targets: classes.map(() => 0),
    classNames: classes,
  };
  return fitDecision(row, { rule: 'fixed', threshold });
}
