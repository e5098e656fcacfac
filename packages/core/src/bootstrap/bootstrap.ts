import { metricsAt } from '../metrics/measure.js';
import {
  type Measurement,
  type MeasureOptions,
  prepareMeasurements,
  type Threshold,
} from '../metrics/measurement.js';
import type { Metrics } from '../metrics/metrics.js';
import type { Scored } from '../metrics/scored.js';
import { type ClassMetric, forClassMetrics, forOverallMetrics, type OverallMetric } from './metricNames.js';
import { quantile } from './quantile.js';
import { type BootstrapOptions, checkBootstrap, drawMetrics } from './replicates.js';

/** A metric with its percentile interval, which holds the central share of the replicates. */
export interface Interval {
  readonly value: number;
  readonly low: number;
  readonly high: number;
  readonly standardError: number;
  /** Replicates left out because the metric was undefined, such as the AP of a class that was not drawn. */
  readonly undefinedReplicates: number;
}

export interface Bootstrap {
  readonly metrics: Metrics;
  readonly replicates: number;
  readonly seed: number;
  readonly confidence: number;
  /** Null if the metric itself is undefined; `metrics.undefinedMetrics` says why. */
  readonly overall: Readonly<Record<OverallMetric, Interval | null>>;
  /** One entry per class. */
  readonly perClass: Readonly<Record<ClassMetric, readonly (Interval | null)[]>>;
}

/**
 * Computes all metrics with confidence intervals, from a seeded bootstrap over the rows.
 *
 * @example
 * const scored = {
 *   scores: new Float64Array([0.9, 0.2, 0.6, 0.1, 0.3, 0.7]),
 *   targets: [1, 0, 0, 0, 0, 1],
 *   classNames: ['crack', 'roots'],
 * };
 * bootstrap(scored, { replicates: 100, seed: 1 }).overall.microF1
 * // value 0.8, low 0.2375, high 1
 */
export function bootstrap(scored: Scored, options: BootstrapOptions & MeasureOptions = {}): Bootstrap {
  const { threshold = 0.5, ...shared } = options;
  return bootstrapAt(scored, [threshold], shared)[0]!;
}

/**
 * Does the same for several threshold settings on the same draws; takes little longer than for one.
 *
 * @example
 * const [atHalf, fitted] = bootstrapAt(test, [0.5, fitThresholds(validation)], { replicates: 1000 });
 * atHalf!.overall.mAP // same for fitted
 */
export function bootstrapAt(
  scored: Scored,
  thresholds: readonly Threshold[],
  options: BootstrapOptions & Omit<MeasureOptions, 'threshold'> = {},
): Bootstrap[] {
  const { replicates, seed, confidence } = checkBootstrap(options);
  if (thresholds.length === 0) throw new RangeError('thresholds is empty; expected one or more settings');
  const settings = prepareMeasurements(scored, thresholds, options);
  const whole = metricsAt(settings, new Uint16Array(settings[0]!.ranked.rows).fill(1));
  const drawn = drawnValues(settings, replicates, seed);
  return whole.map((metrics, setting) => {
    const { overall, perClass } = drawn[setting]!;
    const interval = (value: number | null, values: Float64Array) =>
      value === null ? null : intervalOf(value, Array.from(values, orNull), confidence);
    return {
      metrics,
      replicates,
      seed,
      confidence,
      overall: forOverallMetrics((name) => interval(metrics[name], overall[name])),
      perClass: forClassMetrics(metrics.classNames.length, (name, j) =>
        interval(metrics[name][j]!, perClass[name][j]!),
      ),
    };
  });
}

/** The values of every metric in all replicates at each setting, NaN where it is undefined; whole metrics would take ten times the memory. */
function drawnValues(settings: readonly Measurement[], replicates: number, seed: number) {
  const classes = settings[0]!.ranked.classes.length;
  const drawn = settings.map(() => ({
    overall: forOverallMetrics(() => new Float64Array(replicates)),
    perClass: forClassMetrics(classes, () => new Float64Array(replicates)),
  }));
  let replicate = 0;
  for (const [ofModel] of drawMetrics([settings], replicates, seed)) {
    ofModel!.forEach((metrics, setting) => {
      const { overall, perClass } = drawn[setting]!;
      forOverallMetrics((name) => {
        overall[name][replicate] = metrics[name] ?? Number.NaN;
      });
      forClassMetrics(classes, (name, j) => {
        perClass[name][j]![replicate] = metrics[name][j] ?? Number.NaN;
      });
    });
    replicate++;
  }
  return drawn;
}

function orNull(value: number): number | null {
  return Number.isNaN(value) ? null : value;
}

/** Returns the percentile interval of a metric's replicates. */
export function intervalOf(
  value: number,
  replicates: readonly (number | null)[],
  confidence: number,
): Interval | null {
  const defined = Float64Array.from(replicates.filter((metric) => metric !== null)).sort();
  if (defined.length === 0) return null;
  const mean = defined.reduce((sum, metric) => sum + metric, 0) / defined.length;
  const squares = defined.reduce((sum, metric) => sum + (metric - mean) ** 2, 0);
  return {
    value,
    low: quantile(defined, (1 - confidence) / 2),
    high: quantile(defined, (1 + confidence) / 2),
    standardError: Math.sqrt(squares / Math.max(defined.length - 1, 1)),
    undefinedReplicates: replicates.length - defined.length,
  };
}
