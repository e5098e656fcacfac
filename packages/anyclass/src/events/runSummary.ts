import type { BestMetric } from './bestMetric.js';
import type { Judgment } from './judgment.js';

/** An image that could not be used, and why. */
export interface Quarantined {
  readonly row: number;
  readonly name: string;
  readonly reason: string;
  /** Whether there is no such image, or it may not be read; else it is damaged. */
  readonly missing?: boolean | undefined;
}

/** What a run reached. */
export interface RunSummary {
  readonly dataset: string;
  readonly network: string;
  readonly loss: string;
  readonly classes: readonly string[];
  /** Epochs trained; fewer than asked for after an early stop. */
  readonly epochs: number;
  /** The epoch whose weights are the result, and by what it was chosen. */
  readonly bestEpoch: number;
  readonly bestBy: BestMetric;
  /** Whether the last epoch is evaluated because the weights of the best were lost, or nothing could tell which is. */
  readonly isLastInstead?: boolean | undefined;
  /** Null where the metric was not defined. */
  readonly bestValue: number | null;
  /** At 0.5: the data that thresholds and calibration were fitted on. */
  readonly validation: Judgment;
  /** Judged once, with the chosen weights; left out where the test split has no labels. */
  readonly test?: Judgment | undefined;
  readonly quarantined: readonly Quarantined[];
}
