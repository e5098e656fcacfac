// How good scores are: metrics at 0.5 and at fitted thresholds, with intervals, and how far probabilities can be believed.

import {
  bootstrapAt,
  type Calibration,
  calibrate,
  type FittedThresholds,
  fitPlatt,
  fitSharedThreshold,
  fitTemperature,
  fitThresholds,
  measure,
  reliability,
  type Scored,
} from '@anyclass/core';
import type { Judgment, ReliabilityFigures } from '../events/judgment.js';

export interface JudgeOptions {
  /** Judge at these as well; they must come from other data. */
  readonly thresholds?: FittedThresholds | undefined;
  readonly calibration?: Calibration | undefined;
  readonly classImportance?: readonly number[] | undefined;
  /** Of the bootstrap; 0 leaves intervals out. Default 1000. */
  readonly replicates?: number | undefined;
  /** Default 0.95. */
  readonly confidence?: number | undefined;
}

/**
 * Judges scores.
 *
 * @example
 * const scored = { scores: new Float64Array([0.9, 0.2]), targets: [1, 0], classNames: ['crack'], split: 'test' };
 * judge(scored, { replicates: 0 }).metrics.macroF1 // 1
 */
export function judge(scored: Scored, options: JudgeOptions = {}): Judgment {
  const { thresholds, calibration, classImportance, replicates = 1000, confidence = 0.95 } = options;
  const shared = classImportance ? { classImportance } : {};
  const settings = [0.5, ...(thresholds ? [thresholds] : [])];
  const [atHalf, atFitted] =
    replicates === 0
      ? settings.map((threshold) => ({ metrics: measure(scored, { ...shared, threshold }) }))
      : bootstrapAt(scored, settings, { ...shared, replicates, confidence }).map(
          ({ metrics, overall, perClass }) => ({
            metrics,
            intervals: { overall, perClass, replicates, confidence },
          }),
        );
  return {
    split: scored.split ?? '',
    ...atHalf!,
    ...(thresholds && atFitted && { fitted: { thresholds, ...atFitted } }),
    reliability: reliabilityFigures(scored),
    ...(calibration && {
      calibrated: {
        calibration,
        ...reliabilityFigures({
          ...scored,
          scores: calibrate(scored.scores, scored.classNames, calibration),
        }),
      },
    }),
  };
}

export interface FitOptions {
  /** `class` (default): one each. `shared`: one for all, that keeps the F1-Neg at 0.5, in steps of 0.01. */
  readonly thresholds?: 'class' | 'shared';
  readonly thresholdBeta: number;
  readonly calibration: 'temperature' | 'platt' | 'none';
}

/** What is fitted on validation and applied elsewhere. */
export interface Fitted {
  readonly thresholds: FittedThresholds;
  readonly calibration: Calibration | undefined;
}

/**
 * Fits thresholds and calibration on validation scores.
 *
 * @example
 * const { thresholds } = fitOnValidation(validation, { thresholdBeta: 2, calibration: 'platt' });
 */
export function fitOnValidation(
  validation: Scored,
  { thresholds = 'class', thresholdBeta, calibration }: FitOptions,
): Fitted {
  const fitted = thresholds === 'class' ? fitThresholds : fitSharedThreshold;
  const fits = { temperature: fitTemperature, platt: fitPlatt, none: () => undefined };
  return {
    thresholds: fitted(validation, { beta: thresholdBeta }),
    calibration: fits[calibration](validation),
  };
}

function reliabilityFigures(scored: Scored): ReliabilityFigures {
  const { perClass, anyClass } = reliability(scored);
  return {
    perClassEce: perClass.map(({ ece }) => ece),
    perClassBrier: perClass.map(({ brier }) => brier),
    anyClassEce: anyClass.ece,
    anyClassBrier: anyClass.brier,
  };
}
