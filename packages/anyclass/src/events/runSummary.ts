import type { BestMetric } from './bestMetric.js';
import type { Judgment } from './judgment.js';

/** An image that could not be used, and why. */
export interface Quarantined {
  readonly row: number;
  readonly name: string;
  readonly reason: string;
  /** True if the image does not exist or access is denied; otherwise it is damaged. */
  readonly missing?: boolean | undefined;
}

/** How many images of a split are odd, and why. */
export interface OddImages {
  readonly images: number;
  readonly odd: number;
  /** Counts by reason (`OddReason` of core). */
  readonly reasons: Readonly<Record<string, number>>;
}

/** The results of a run. */
export interface RunSummary {
  readonly dataset: string;
  readonly network: string;
  readonly loss: string;
  readonly classes: readonly string[];
  /** Epochs trained; fewer than configured after an early stop. */
  readonly epochs: number;
  /** The epoch whose weights are the result, and the metric it was chosen by. */
  readonly bestEpoch: number;
  /** Whether the last epoch was kept, whatever its metrics (`finalWeights`); omitted if not. */
  readonly isLastKept?: boolean | undefined;
  readonly bestBy: BestMetric;
  /** Whether the last epoch is evaluated because the best one is unknown or its weights were lost. */
  readonly isLastInstead?: boolean | undefined;
  /** Null if the metric is undefined. */
  readonly bestValue: number | null;
  /** At 0.5 only, because thresholds and calibration were fitted on this data. */
  readonly validation: Judgment;
  /** Evaluated once, with the chosen weights; omitted if the test split has no labels. */
  readonly test?: Judgment | undefined;
  /** How often the guard calls an image odd; omitted without one. */
  readonly guard?:
    | {
        readonly quantile: number;
        readonly validation: OddImages;
        readonly test?: OddImages | undefined;
      }
    | undefined;
  readonly quarantined: readonly Quarantined[];
}
