import { metricsOf } from '../metrics/measure.js';
import { type MeasureOptions, prepareMeasurement } from '../metrics/measurement.js';
import type { Metrics } from '../metrics/metrics.js';
import { areSameClasses, type Scored } from '../metrics/scored.js';
import { type Interval, intervalOf } from './bootstrap.js';
import { type ClassFigure, forClassFigures, forOverallFigures, type OverallFigure } from './figures.js';
import { type BootstrapOptions, checkBootstrap, drawReplicates } from './replicates.js';

/** By how much a figure of the second model exceeds the first one's. */
export interface Difference extends Interval {
  readonly first: number;
  readonly second: number;
  /** Two-sided: twice the smaller share of replicates at or beyond 0, at most 1. */
  readonly pValue: number;
}

export interface PairedBootstrap {
  readonly classNames: readonly string[];
  readonly replicates: number;
  readonly seed: number;
  readonly confidence: number;
  /** Null where a figure is undefined for one of the models. */
  readonly overall: Readonly<Record<OverallFigure, Difference | null>>;
  /** One entry a class. */
  readonly perClass: Readonly<Record<ClassFigure, readonly (Difference | null)[]>>;
}

/** Each model is measured with its own thresholds; the rest is shared. */
export interface PairedBootstrapOptions extends BootstrapOptions, Omit<MeasureOptions, 'threshold'> {
  readonly firstThreshold?: NonNullable<MeasureOptions['threshold']>;
  readonly secondThreshold?: NonNullable<MeasureOptions['threshold']>;
}

/**
 * The difference of two models on the same rows, with intervals: both are measured on the same draws, so that what
 * makes rows hard for both cancels.
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
  const drawn = drawReplicates(models, replicates, seed);
  const difference = (figure: (metrics: Metrics) => number | null): Difference | null => {
    const a = figure(firstMetrics!);
    const b = figure(secondMetrics!);
    if (a === null || b === null) return null;
    const deltas = drawn.map(([one, two]) => minus(figure(two!), figure(one!)));
    const interval = intervalOf(b - a, deltas, confidence);
    return interval === null ? null : { ...interval, first: a, second: b, pValue: twoSided(deltas) };
  };
  return {
    classNames: first.classNames,
    replicates,
    seed,
    confidence,
    overall: forOverallFigures((name) => difference((of) => of[name])),
    perClass: forClassFigures(first.classNames.length, (name, j) => difference((of) => of[name][j]!)),
  };
}

function minus(a: number | null, b: number | null): number | null {
  return a === null || b === null ? null : a - b;
}

function twoSided(deltas: readonly (number | null)[]): number {
  const defined = deltas.filter((delta) => delta !== null);
  const share = (keep: (delta: number) => boolean) => defined.filter(keep).length / defined.length;
  return Math.min(
    1,
    2 *
      Math.min(
        share((delta) => delta <= 0),
        share((delta) => delta >= 0),
      ),
  );
}

function checkSameRows(first: Scored, second: Scored): void {
  if (!areSameClasses(first.classNames, second.classNames)) {
    throw new RangeError(
      `the first model has the classes ${first.classNames.join(', ')}, the second ${second.classNames.join(', ')}`,
    );
  }
  if (first.targets.length !== second.targets.length) {
    throw new RangeError(
      `the first model has ${first.targets.length} targets, the second ${second.targets.length}`,
    );
  }
  for (let i = 0; i < first.targets.length; i++) {
    if (Object.is(first.targets[i], second.targets[i]) || first.targets[i] === second.targets[i]) continue;
    const row = Math.floor(i / first.classNames.length);
    throw new RangeError(
      `targets of row ${row} differ: ${first.targets[i]} and ${second.targets[i]}; expected the same rows in the same order`,
    );
  }
}
