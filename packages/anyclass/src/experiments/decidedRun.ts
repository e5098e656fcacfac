// A run at its decision: fitted on its validation scores or on the rows held back for it, evaluated on test and, cross-fitted,
// on validation.

import { crossFit, type Decision, fitDecision, type Metrics, measure, presenceAuc } from '@anyclass/core';
import { foldsToFit } from '../evaluation/folds.js';
import type { DecisionChoice } from './decisionText.js';
import type { ScoredImages } from './readRuns.js';
import { type TradeOff, tradeOffOf } from './tradeOff.js';

/** Metrics at a decision: those of `measure`, and how well presence separates positives from negatives. */
export type DecidedMetrics = Metrics & { readonly presenceAuc: number | null };

export interface DecidedRun {
  readonly decision: Decision;
  /**
   * On validation, each image decided by a decision fitted without it; undefined if {@link crossFitted} is.
   */
  readonly crossFitted: DecidedMetrics | undefined;
  readonly test: DecidedMetrics | undefined;
  readonly tradeOff: readonly TradeOff[] | undefined;
}

/** The scores of a run. */
interface SplitsOfRun {
  readonly validation: ScoredImages;
  /** Those of the rows held back for the decision, which chose nothing. */
  readonly held: ScoredImages | undefined;
  readonly test: ScoredImages | undefined;
}

/** Fits and evaluates a run's decision. {@link whyUndecided} must be undefined for the validation split. */
export function decideRun(
  { validation, held, test }: SplitsOfRun,
  choice: DecisionChoice,
  classImportance: readonly number[] | undefined,
): DecidedRun {
  const importance = classImportance ? { classImportance } : {};
  const decision = fitDecision(held ?? validation, held ? { ...choice, candidates: 1 } : choice);
  const labels = crossFitted(validation, choice);
  return {
    decision,
    // Ranking metrics come from the scores; cross-fitted labels do not rank.
    crossFitted: labels && {
      ...measure(labels, importance),
      mAP: measure(validation).mAP,
      presenceAuc: presenceAuc(validation),
    },
    test: test && {
      ...measure(test, { ...importance, threshold: decision }),
      presenceAuc: presenceAuc(test),
    },
    tradeOff: test && tradeOffOf(held ?? validation, test, choice),
  };
}

/** Says why no decision can be fitted on a validation split; undefined if one can. */
export function whyUndecided(
  { positiveRows, negativeRows }: Pick<Metrics, 'positiveRows' | 'negativeRows'>,
  { rule, budget }: DecisionChoice,
): string | undefined {
  if (rule === 'fixed') return undefined;
  if (positiveRows === 0) return 'its validation split has no positive image to fit a decision on';
  const needsNegatives = rule !== 'class' && 'falseAlarms' in budget;
  return negativeRows === 0 && needsNegatives
    ? 'its validation split has no negatives for a false-alarm budget'
    : undefined;
}

/**
 * Returns the images with predicted labels, 0 or 1, in place of scores, each from a decision fitted without
 * that image; undefined if all positives or all negatives are in one fold.
 *
 * @param deal a different number assigns the images to different folds
 */
export function crossFitted(
  validation: ScoredImages,
  choice: DecisionChoice,
  deal = 0,
): ScoredImages | undefined {
  const folds = foldsToFit(validation, deal);
  return folds && { ...validation, ...crossFit(validation, { ...choice, folds }) };
}
