// How good scores are, as figures.

import type { Bootstrap, Calibration, Decision, Metrics } from '@anyclass/core';

export interface Judgment {
  readonly split: string;
  /** At 0.5. */
  readonly metrics: Metrics;
  readonly intervals?: Intervals;
  /** As the model decides: by the presence gate and thresholds that were fitted on other data. */
  readonly decided?: DecidedFigures;
  /** Of the probabilities as the network gives them. */
  readonly reliability: ReliabilityFigures;
  /** After calibration, which all other figures are of too. */
  readonly calibrated?: ReliabilityFigures & { readonly calibration: Calibration };
}

export interface DecidedFigures
  extends Pick<Decision, 'rule' | 'beta' | 'presence' | 'thresholds' | 'fittedOn'> {
  /** Null for thresholds of older versions, which had none. */
  readonly budget: Decision['budget'] | null;
  readonly metrics: Metrics;
  readonly intervals?: Intervals;
  /** On the data of the fit; null for older versions. */
  readonly validation: Metrics | null;
  /** What the fit has to say: counts, bounds, guarantee. Left out for older versions. */
  readonly report?: Decision['report'];
}

export type Intervals = Pick<Bootstrap, 'overall' | 'perClass' | 'replicates' | 'confidence'>;

/** The expected calibration error and the Brier score. */
export interface ReliabilityFigures {
  readonly perClassEce: readonly (number | null)[];
  readonly perClassBrier: readonly (number | null)[];
  readonly anyClassEce: number | null;
  readonly anyClassBrier: number | null;
}
