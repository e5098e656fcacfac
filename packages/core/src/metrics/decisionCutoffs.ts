// What measuring needs to know of a fitted decision.

import { refuseSameSplit } from './fittedThresholds.js';
import type { OutcomeCutoffs } from './outcomes.js';
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
  /**
   * The presence score below which a row is cleared, so that few positives are; 0 clears none. Null if the decision limits
   * alarms only.
   */
  readonly clear: number | null;
  /** Whether presence scores were those of the probabilities, or given apart (see `Scored.presence`). */
  readonly presenceFrom: 'scores' | 'given';
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
  /** What separates the outcomes of whole rows; undefined if a row alarms wherever a class is predicted. */
  readonly outcome?: OutcomeCutoffs | undefined;
}

/** Returns the numbers to compare a row's scores with; a closed gate becomes infinite thresholds. */
export function cutoffsOf({
  rule,
  presence,
  clear,
  thresholds,
}: Pick<DecisionCutoffs, 'rule' | 'presence' | 'clear' | 'thresholds'>): Cutoffs {
  const outcome = rule === 'gate' ? { alarm: presence, clear } : undefined;
  if (presence === null) {
    return { presence: 0, thresholds: thresholds.map(() => Number.POSITIVE_INFINITY), outcome };
  }
  return {
    presence,
    thresholds: thresholds.map((threshold) => threshold ?? Number.POSITIVE_INFINITY),
    outcome,
  };
}

/** Throws unless presence scores come from where the decision's came from; otherwise they are on another scale. */
export function checkPresenceSource({ rule, presenceFrom }: DecisionCutoffs, isGiven: boolean): void {
  if (rule !== 'gate' || isGiven === (presenceFrom === 'given')) return;
  throw new TypeError(
    isGiven
      ? "the decision ranks rows by the presence of their scores; leave out 'presence'"
      : "the decision ranks rows by presence scores that were given apart from the scores, such as those before calibration; set 'presence'",
  );
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
