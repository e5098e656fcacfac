import type { BestMetric } from '../configuration/schema.js';
import type { Quarantined } from '../data/images/quarantine.js';
import type { Judgement } from '../evaluation/judge.js';

/** summary.json: what a run reached. */
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
  /** Null where the metric was not defined. */
  readonly bestValue: number | null;
  /** At 0.5: the data that thresholds and calibration were fitted on. */
  readonly validation: Judgement;
  /** Judged once, with the chosen weights; left out where the test split has no labels. */
  readonly test?: Judgement;
  readonly quarantined: readonly Quarantined[];
}
