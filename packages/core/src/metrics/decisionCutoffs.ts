// What measuring needs to know of a fitted decision.

import { refuseSameSplit } from './fittedThresholds.js';
import { areSameClasses, type Scored } from './scored.js';

/**
 * How probabilities become labels. `gate`: class j is predicted if the presence score is at least τ and p_j is at least
 * t_j. `shared`: one threshold for all classes. `class`: a threshold per class and no gate. `fixed`: given thresholds.
 */
export type DecisionRule = 'gate' | 'shared' | 'class' | 'fixed';

/** The numbers that a decision compares scores with, and the data that they were fitted on. */
export interface DecisionCutoffs {
  readonly rule: DecisionRule;
  readonly classNames: readonly string[];
  /** The minimum presence score for a row to pass: 0 lets every row pass, null none. */
  readonly presence: number | null;
  /** The minimum probability for each class to be predicted; null for never. */
  readonly thresholds: readonly (number | null)[];
  /** The split of the fit; next, a fingerprint of its scores and labels. Null if nothing was fitted (`fixed`). */
  readonly fittedOn: string | null;
  readonly fingerprint: string | null;
}

/** The gate and the thresholds as numbers to compare with; Infinity for never. */
export interface Cutoffs {
  readonly presence: number;
  readonly thresholds: readonly number[];
}

/** Returns the numbers to compare a row's scores with; a closed gate becomes infinite thresholds. */
export function cutoffsOf({
  presence,
  thresholds,
}: Pick<DecisionCutoffs, 'presence' | 'thresholds'>): Cutoffs {
  if (presence === null) return { presence: 0, thresholds: thresholds.map(() => Number.POSITIVE_INFINITY) };
  return { presence, thresholds: thresholds.map((threshold) => threshold ?? Number.POSITIVE_INFINITY) };
}

/** Throws if the classes differ from those of the fit. */
export function checkDecisionClasses(decision: DecisionCutoffs, classNames: readonly string[]): void {
  if (areSameClasses(decision.classNames, classNames)) return;
  throw new RangeError(
    `the decision is for the classes ${decision.classNames.join(', ')}; the scores have ${classNames.join(', ')}`,
  );
}

/** Throws if a decision is evaluated on the data that it was fitted on. */
export function refuseFittedSplit({ fittedOn, fingerprint }: DecisionCutoffs, judged: Scored): void {
  if (fittedOn === null || fingerprint === null) return;
  refuseSameSplit({ fittedOn, fingerprint }, judged, 'decision was');
}
