// The progress of a run: the numbers and names of its state, which checkpoints store as JSON.

import type { Metrics } from '@anyclass/core';
import type { BestMetric } from '../events/bestMetric.js';

export interface Progress {
  /** Completed epochs. */
  epoch: number;
  /** Completed steps of the current epoch, which is the position in the data. */
  step: number;
  /** How many of those steps had images to learn from, the sum of their losses, and their images. */
  updates: number;
  lossSum: number;
  images: number;
  /** Time spent on the current epoch, and how much of it training waited for images. */
  seconds: number;
  waitSeconds: number;
  best: Partial<Record<BestMetric, BestEpoch>>;
  epochsSinceBest: number;
}

export interface BestEpoch {
  /** Counted from 1. */
  readonly epoch: number;
  readonly value: number;
  /** Name of the weights file in the checkpoint folder. */
  readonly file: string;
}

export function firstProgress(): Progress {
  return { epoch: 0, ...firstStep, best: {}, epochsSinceBest: 0 };
}

/** The progress at the start of every epoch. */
export const firstStep = { step: 0, updates: 0, lossSum: 0, images: 0, seconds: 0, waitSeconds: 0 };

export interface Validation {
  readonly metrics: Metrics;
  readonly loss: number;
  readonly bce: number;
  /** Number of unreadable training images so far over all ranks; omitted for a single process. */
  readonly quarantinedInTraining?: number;
}

/** The value of a metric in a validation; null if it is undefined. */
export function metricValue({ metrics, loss, bce }: Validation, metric: BestMetric): number | null {
  if (metric === 'loss') return loss;
  return metric === 'bce' ? bce : metrics[metric];
}

export function isLowerBetter(metric: BestMetric): boolean {
  return metric === 'loss' || metric === 'bce';
}

/**
 * Returns the metrics by which an epoch is better than all before.
 *
 * @example
 * improvedMetrics(validation, progress.best, ['mAP', 'loss']) // ['mAP']
 */
export function improvedMetrics(
  validation: Validation,
  best: Progress['best'],
  metrics: readonly BestMetric[],
): BestMetric[] {
  return metrics.filter((metric) => {
    const value = metricValue(validation, metric);
    const before = best[metric]?.value;
    if (value === null || Number.isNaN(value)) return false;
    if (before === undefined) return true;
    return isLowerBetter(metric) ? value < before : value > before;
  });
}
