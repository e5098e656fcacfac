import { applyDecision, type Decision, type Outcome, type Scored } from '@anyclass/core';
import { calibratedScores } from '../runs/calibratedScores.js';
import type { ModelDescription } from '../runs/modelFile.js';
import { probabilities } from './scorer.js';

/** Rows of classes, one row per image. */
export interface DecidedRows {
  /** Calibrated if training found that it helps. */
  readonly probabilities: Float32Array;
  /** Compared with the gate; one per image. */
  readonly presence: Float64Array;
  /** 1 for each predicted class. */
  readonly labels: Uint8Array;
  /** One per image; it follows presence alone. */
  readonly outcomes: readonly Outcome[];
}

/**
 * Turns logits into labels, for both prediction and serving.
 *
 * @example
 * decideLogits(logits, description, decision).labels // 0 and 1, images times classes
 */
export function decideLogits(
  logits: Float32Array,
  { classes, calibration }: Pick<ModelDescription, 'classes' | 'calibration'>,
  decision: Decision,
): DecidedRows {
  const raw: Scored = { scores: probabilities(logits), targets: [], classNames: classes };
  // As the decision was fitted and evaluated: in doubles, and ranked by presence before calibration.
  const { scores, presence: given } = calibratedScores(raw, calibration);
  const { labels, presence, outcomes } = applyDecision(scores, decision, {
    presence: decision.presenceFrom === 'given' ? given : undefined,
  });
  return { probabilities: Float32Array.from(scores), presence, labels, outcomes };
}
