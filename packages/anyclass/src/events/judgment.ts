// How good scores are, as figures.

import type { Bootstrap, Calibration, FittedThresholds, Metrics } from '@anyclass/core';

export interface Judgment {
  readonly split: string;
  /** At 0.5. */
  readonly metrics: Metrics;
  readonly intervals?: Intervals;
  /** At the fitted thresholds. */
  readonly fitted?: {
    readonly thresholds: FittedThresholds;
    readonly metrics: Metrics;
    readonly intervals?: Intervals;
  };
  readonly reliability: ReliabilityFigures;
  /** After calibration. */
  readonly calibrated?: ReliabilityFigures & { readonly calibration: Calibration };
}

export type Intervals = Pick<Bootstrap, 'overall' | 'perClass' | 'replicates' | 'confidence'>;

/** The expected calibration error and the Brier score. */
export interface ReliabilityFigures {
  readonly perClassEce: readonly (number | null)[];
  readonly perClassBrier: readonly (number | null)[];
  readonly anyClassEce: number | null;
  readonly anyClassBrier: number | null;
}
