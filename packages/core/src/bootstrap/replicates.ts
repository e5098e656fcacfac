// The bootstrap over instances. Efron and Tibshirani, "An Introduction to the Bootstrap", 1993: as many rows as there are
// are drawn with replacement, and every metric is recomputed. Drawing a row twice is counting it twice, so a replicate is
// a list of multiplicities, and the sorted scores stay as they are. If rows have groups, which are independent while their
// rows are not, whole groups are drawn.

import type { Grouping } from '../labels/groups.js';
import type { Multiplicities } from '../metrics/classCounts.js';
import { metricsAt, metricsOf } from '../metrics/measure.js';
import type { Measurement } from '../metrics/measurement.js';
import type { Metrics } from '../metrics/metrics.js';
import { NumpyRandom } from '../random/numpyRandom.js';

/** How to draw. */
export interface BootstrapOptions {
  /** Default 1000. */
  readonly replicates?: number;
  /** Default 0. Replicates are successive calls to numpy's `RandomState(seed).choice(rows, rows)`; or groups, if rows have them. */
  readonly seed?: number;
  /** Confidence level: the share of replicates inside an interval. Default 0.95. */
  readonly confidence?: number;
}

/** Returns a model's metrics at several threshold settings in every replicate. */
export function drawSettings(
  settings: readonly Measurement[],
  replicates: number,
  seed: number,
): Metrics[][] {
  return Array.from(draws(settings[0]!.ranked, replicates, seed), (multiplicities) =>
    metricsAt(settings, multiplicities),
  );
}

/** Returns every model's metrics in every replicate; the models share the drawn rows. */
export function drawReplicates(
  models: readonly Measurement[],
  replicates: number,
  seed: number,
): Metrics[][] {
  return Array.from(draws(models[0]!.ranked, replicates, seed), (multiplicities) =>
    models.map((model) => metricsOf(model, multiplicities)),
  );
}

/** Yields how often each row was drawn, one replicate at a time, in one array that is overwritten each time. */
export function* draws(rows: DrawnRows, replicates: number, seed: number): Generator<Multiplicities> {
  const draw = drawer(new NumpyRandom(seed), rows);
  for (let replicate = 0; replicate < replicates; replicate++) yield draw();
}

/** How many rows there are to draw from, and the groups that they form. */
export interface DrawnRows {
  readonly rows: number;
  readonly grouping?: Grouping | undefined;
}

/** Returns a function that draws rows, or whole groups of rows; each call overwrites the same array. */
export function drawer(random: NumpyRandom, { rows, grouping }: DrawnRows): () => Multiplicities {
  const multiplicities = new Uint16Array(rows);
  if (grouping === undefined) {
    return () => {
      drawInto(random, multiplicities);
      return multiplicities;
    };
  }
  const { names, codes } = grouping;
  const drawnGroups = new Uint16Array(names.length);
  return () => {
    drawInto(random, drawnGroups);
    for (let row = 0; row < rows; row++) multiplicities[row] = drawnGroups[codes[row]!]!;
    return multiplicities;
  };
}

/** Draws as many items as there are, and writes how often each was drawn. */
function drawInto(random: NumpyRandom, multiplicities: Multiplicities): void {
  const rows = multiplicities.length;
  multiplicities.fill(0);
  for (let drawn = 0; drawn < rows; drawn++) {
    const row = random.integer(rows);
    multiplicities[row] = multiplicities[row]! + 1;
  }
}

/** Throws if the number of replicates or the confidence is invalid. */
export function checkBootstrap({ replicates = 1000, seed = 0, confidence = 0.95 }: BootstrapOptions) {
  if (!Number.isInteger(replicates) || replicates < 2) {
    throw new RangeError(`replicates is ${replicates}; expected an integer of at least 2`);
  }
  if (!(confidence > 0 && confidence < 1)) {
    throw new RangeError(`confidence is ${confidence}; expected a number between 0 and 1`);
  }
  return { replicates, seed, confidence };
}
