import type { Metrics } from '@anyclass/core';

/** An epoch of a run: a line of metrics.jsonl. */
export interface EpochRecord {
  /** From 1 on. */
  readonly epoch: number;
  readonly rate: number;
  readonly trainingLoss: number;
  readonly validationLoss: number;
  /** Plain binary cross-entropy on validation, comparable across losses. */
  readonly validationBce: number;
  readonly validation: Metrics;
  readonly seconds: number;
  readonly imagesPerSecond: number;
  /** The part of the time that training waited for images. */
  readonly dataWaitShare: number;
  /** Images that could not be read so far. */
  readonly quarantined: number;
}
