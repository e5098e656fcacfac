import { metricsOf } from '../metrics/measure.js';
import { type MeasureOptions, prepareMeasurement, type Threshold } from '../metrics/measurement.js';
import type { Metrics } from '../metrics/metrics.js';
import type { Scored } from '../metrics/scored.js';
import { type Difference, differenceOf } from './difference.js';
import { type ClassMetric, forClassMetrics, forOverallMetrics, type OverallMetric } from './metricNames.js';
import { type BootstrapOptions, checkBootstrap, drawMetrics } from './replicates.js';
import { checkSameRows } from './sameRows.js';

/** A model's scores, and what its predictions are based on. */
export interface ThresholdedModel {
  readonly scored: Scored;
  readonly threshold: Threshold;
}

export interface PairedSeedOptions extends BootstrapOptions, Omit<MeasureOptions, 'threshold'> {
  /** Stop after this many seconds, but not before 50 replicates. Default: no limit. */
  readonly seconds?: number;
  readonly now?: () => number;
}

/** By how much the second group's metrics exceed the first group's; means over the models of each. */
export interface PairedSeedBootstrap {
  readonly classNames: readonly string[];
  /** How many replicates were drawn. */
  readonly replicates: number;
  readonly confidence: number;
  /** Null if a metric is undefined for one of the models. */
  readonly overall: Readonly<Record<OverallMetric, Difference | null>>;
  /** One entry per class. */
  readonly perClass: Readonly<Record<ClassMetric, readonly (Difference | null)[]>>;
  /** The metrics of each model. */
  readonly first: readonly Metrics[];
  readonly second: readonly Metrics[];
}

const leastReplicates = 50;

/**
 * Compares two groups of models on the same rows, such as two methods trained with several seeds, overall and by class. All models are
 * measured on the same draws, so that whatever makes rows hard for all of them cancels out. Thresholds and decisions are held fixed:
 * `bootstrapDecisions` refits them in each draw.
 *
 * @example
 * const { overall, perClass } = pairedSeedBootstrap(
 *   bce.map((scored) => ({ scored, threshold: 0.5 })),
 *   anyBce.map((scored) => ({ scored, threshold: 0.5 })),
 *   { replicates: 500 },
 * );
 * overall.mAP // first, second, value, low, high, pValue
 * perClass.perClassAP[0]?.low
 */
export function pairedSeedBootstrap(
  first: readonly ThresholdedModel[],
  second: readonly ThresholdedModel[],
  options: PairedSeedOptions = {},
): PairedSeedBootstrap {
  const { replicates, seed, confidence } = checkBootstrap(options);
  const { seconds = Number.POSITIVE_INFINITY, now = () => Date.now(), ...shared } = options;
  const groups = [first, second];
  const [one] = first;
  if (one === undefined || second.length === 0)
    throw new RangeError('a group has no models; expected one or more in each');
  for (const { scored } of groups.flat()) checkSameRows(one.scored, scored);
  const prepared = groups.map((group) =>
    group.map(({ scored, threshold }) => prepareMeasurement(scored, { ...shared, threshold })),
  );
  const ranked = prepared[0]![0]!.ranked;
  const once = new Uint16Array(ranked.rows).fill(1);
  const measured = prepared.map((group) => group.map((model) => metricsOf(model, once)));
  const drawn: Metrics[][][] = [];
  const until = now() + 1000 * seconds;
  const models = prepared.flat().map((model) => [model]);
  for (const metrics of drawMetrics(models, replicates, seed)) {
    const each = metrics.map(([atThreshold]) => atThreshold!);
    drawn.push([each.slice(0, first.length), each.slice(first.length)]);
    if (drawn.length >= leastReplicates && now() > until) break;
  }
  const difference = (metric: (metrics: Metrics) => number | null): Difference | null => {
    const means = (values: readonly (readonly Metrics[])[]) => values.map((models) => meanOf(models, metric));
    const [firstMean = null, secondMean = null] = means(measured);
    return differenceOf(
      firstMean,
      secondMean,
      drawn.map((replicate): [number | null, number | null] => {
        const [a = null, b = null] = means(replicate);
        return [a, b];
      }),
      confidence,
    );
  };
  return {
    classNames: one.scored.classNames,
    replicates: drawn.length,
    confidence,
    overall: forOverallMetrics((name) => difference((of) => of[name])),
    perClass: forClassMetrics(one.scored.classNames.length, (name, j) => difference((of) => of[name][j]!)),
    first: measured[0]!,
    second: measured[1]!,
  };
}

/** Null if any model has no value. */
function meanOf(models: readonly Metrics[], metric: (metrics: Metrics) => number | null): number | null {
  let sum = 0;
  for (const model of models) {
    const value = metric(model);
    if (value === null) return null;
    sum += value;
  }
  return sum / models.length;
}
