import type { Metrics } from '@anyclass/core';

/** An epoch of a run: a line of metrics.jsonl. */
export interface EpochRecord {
  /** Counted from 1. */
  readonly epoch: number;
  readonly rate: number;
  readonly trainingLoss: number;
  readonly validationLoss: number;
  /** Plain binary cross-entropy on validation, comparable across losses. */
  readonly validationBce: number;
  readonly validation: Metrics;
  readonly seconds: number;
  readonly imagesPerSecond: number;
  /** Share of the time that training waited for images. */
  readonly dataWaitShare: number;
  /** Number of images that could not be read so far. */
  readonly quarantined: number;
}
