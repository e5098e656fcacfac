// The bootstrap over instances. Efron and Tibshirani, "An Introduction to the Bootstrap", 1993: as many rows as there are
// are drawn with replacement, and every metric is recomputed. Drawing a row twice is counting it twice, so a replicate is
// a list of multiplicities, and the sorted scores stay as they are. If rows have groups, which are independent while their
// rows are not, whole groups are drawn.

import type { Grouping } from '../labels/groups.js';
import type { Multiplicities } from '../metrics/classCounts.js';
import { metricsOfDraws, prepareDraws } from '../metrics/drawnMetrics.js';
import type { Measurement } from '../metrics/measurement.js';
import type { Metrics } from '../metrics/metrics.js';
import { type DrawBatch, PACKED_DRAWS, packDraws } from '../metrics/packedDraws.js';
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

/** Yields, for every replicate, each model's metrics at each of its threshold settings; the models share the drawn rows. */
export function* drawMetrics(
  models: readonly (readonly Measurement[])[],
  replicates: number,
  seed: number,
): Generator<Metrics[][]> {
  const prepared = models.map(prepareDraws);
  for (const batch of drawBatches(models[0]![0]!.ranked, replicates, seed)) {
    const measured = prepared.map((model) => metricsOfDraws(model, batch));
    for (let d = 0; d < batch.draws.length; d++) yield measured.map((ofModel) => ofModel[d]!);
  }
}

/** Yields how often each row was drawn in the next few replicates, in arrays that are overwritten each time. */
export function* drawBatches(rows: DrawnRows, replicates: number, seed: number): Generator<DrawBatch> {
  const random = new NumpyRandom(seed);
  const packed = new Uint32Array(rows.rows);
  const drawers = Array.from({ length: Math.min(PACKED_DRAWS, replicates) }, () => drawer(random, rows));
  for (let drawn = 0; drawn < replicates; drawn += PACKED_DRAWS)
    yield packDraws(
      drawers.slice(0, replicates - drawn).map((draw) => draw()),
      packed,
    );
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
      random.countDraws(multiplicities);
      return multiplicities;
    };
  }
  const { names, codes } = grouping;
  const drawnGroups = new Uint16Array(names.length);
  return () => {
    random.countDraws(drawnGroups);
    for (let row = 0; row < rows; row++) multiplicities[row] = drawnGroups[codes[row]!]!;
    return multiplicities;
  };
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
