import { applyDecision, calibrate, type Decision } from '@anyclass/core';
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
  const raw = probabilities(logits);
  const values = calibration ? Float32Array.from(calibrate(raw, classes, calibration)) : raw;
  // In doubles, as the decision was fitted and evaluated.
  const { labels, presence } = applyDecision(Float64Array.from(values), decision);
  return { probabilities: values, presence, labels };
}
