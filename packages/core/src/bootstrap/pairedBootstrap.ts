import { metricsOf } from '../metrics/measure.js';
import { type MeasureOptions, prepareMeasurement, type Threshold } from '../metrics/measurement.js';
import type { Metrics } from '../metrics/metrics.js';
import type { Scored } from '../metrics/scored.js';
import { type Difference, differenceOf } from './difference.js';
import { type ClassMetric, forClassMetrics, forOverallMetrics, type OverallMetric } from './metricNames.js';
import { type BootstrapOptions, checkBootstrap, drawMetrics } from './replicates.js';
import { checkSameRows } from './sameRows.js';

export interface PairedBootstrap {
  readonly classNames: readonly string[];
  readonly replicates: number;
  readonly seed: number;
  readonly confidence: number;
  /** Null if a metric is undefined for one of the models. */
  readonly overall: Readonly<Record<OverallMetric, Difference | null>>;
  /** One entry per class. */
  readonly perClass: Readonly<Record<ClassMetric, readonly (Difference | null)[]>>;
}

/** Options; each model is measured with its own thresholds, and the rest is shared. */
export interface PairedBootstrapOptions extends BootstrapOptions, Omit<MeasureOptions, 'threshold'> {
  readonly firstThreshold?: Threshold;
  readonly secondThreshold?: Threshold;
}

/**
 * Compares two models on the same rows, with intervals. Both are measured on the same draws, so that whatever makes rows
 * hard for both cancels out.
 *
 * @example
 * const targets = [1, 0, 0, 0, 0, 1];
 * const classNames = ['crack', 'roots'];
 * const first = { scores: new Float64Array([0.9, 0.2, 0.6, 0.1, 0.3, 0.7]), targets, classNames };
 * const second = { scores: new Float64Array([0.9, 0.2, 0.4, 0.1, 0.3, 0.7]), targets, classNames };
 * pairedBootstrap(first, second, { replicates: 100, seed: 1 }).overall.microF1
 * // first 0.8, second 1, value 0.2 up to rounding
 */
export function pairedBootstrap(
  first: Scored,
  second: Scored,
  options: PairedBootstrapOptions = {},
): PairedBootstrap {
  const { replicates, seed, confidence } = checkBootstrap(options);
  checkSameRows(first, second);
  const { firstThreshold = 0.5, secondThreshold = 0.5, ...shared } = options;
  const models = [
    prepareMeasurement(first, { ...shared, threshold: firstThreshold }),
    prepareMeasurement(second, { ...shared, threshold: secondThreshold }),
  ];
  const once = new Uint16Array(models[0]!.ranked.rows).fill(1);
  const [firstMetrics, secondMetrics] = models.map((model) => metricsOf(model, once));
  const drawn = [
    ...drawMetrics(
      models.map((model) => [model]),
      replicates,
      seed,
    ),
  ];
  const difference = (metric: (metrics: Metrics) => number | null): Difference | null =>
    differenceOf(
      metric(firstMetrics!),
      metric(secondMetrics!),
      drawn.map(([one, two]) => [metric(one![0]!), metric(two![0]!)]),
      confidence,
    );
  return {
    classNames: first.classNames,
    replicates,
    seed,
    confidence,
    overall: forOverallMetrics((name) => difference((of) => of[name])),
    perClass: forClassMetrics(first.classNames.length, (name, j) => difference((of) => of[name][j]!)),
  };
}
