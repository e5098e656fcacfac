// Where a run stands: everything that is a number or a name, and goes into a checkpoint as JSON.

import type { Metrics } from '@anyclass/core';
import type { BestMetric } from '../events/bestMetric.js';

export interface Progress {
  /** Epochs that are over. */
  epoch: number;
  /** Steps of the epoch in progress that are done: the data position. */
  step: number;
  /** Those of them that had images to learn from, their losses' sum and their images. */
  updates: number;
  lossSum: number;
  images: number;
  /** Time spent on the epoch in progress, and of it waiting for images. */
  seconds: number;
  waitSeconds: number;
  best: Partial<Record<BestMetric, BestEpoch>>;
  epochsSinceBest: number;
}

export interface BestEpoch {
  /** From 1 on. */
  readonly epoch: number;
  readonly value: number;
  /** Name of the file with the weights, in the folder of checkpoints. */
  readonly file: string;
}

export function firstProgress(): Progress {
  return { epoch: 0, ...firstStep, best: {}, epochsSinceBest: 0 };
}

/** Where every epoch begins. */
export const firstStep = { step: 0, updates: 0, lossSum: 0, images: 0, seconds: 0, waitSeconds: 0 };

export interface Validation {
  readonly metrics: Metrics;
  readonly loss: number;
  readonly bce: number;
  /** Unreadable training images so far, over all ranks; left out where one process knows them all. */
  readonly quarantinedInTraining?: number;
}

/** The value of a metric of a validation; null where it is not defined. */
export function metricValue({ metrics, loss, bce }: Validation, metric: BestMetric): number | null {
  if (metric === 'loss') return loss;
  return metric === 'bce' ? bce : metrics[metric];
}

export function isLowerBetter(metric: BestMetric): boolean {
  return metric === 'loss' || metric === 'bce';
}

/**
 * The metrics by which an epoch is better than all before.
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
