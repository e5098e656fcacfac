import { largestShare, shareOf } from '../../distribution/shares.js';
import { counted, inflected } from '../../errors/counted.js';
import { type RandomStream, randomStream, shuffled } from '../random/philox.js';

/** How an epoch is split into batches. */
export interface BatchPlan {
  /** The rows of an epoch. */
  readonly rows: Int32Array;
  /** Instances per step, over all ranks. */
  readonly batchSize: number;
  /** Use a new order each epoch, which depends only on (seed, epoch). */
  readonly shuffle: boolean;
  readonly seed: number;
  /** Drop the last batch if it is not full. */
  readonly dropLast: boolean;
  /** This process, 0 to world - 1. */
  readonly rank: number;
  readonly world: number;
  /** How often an epoch draws each of the rows on average; once each if omitted. Needs `shuffle`. */
  readonly rates?: Float64Array | undefined;
  /** Number of parts of a batch that are computed one after another; the ranks share each part. Default 1. */
  readonly parts?: number;
}

/** The number of steps in an epoch, the same on every rank. */
export function stepsPerEpoch(plan: BatchPlan): number {
  const steps = drawnRows(plan) / plan.batchSize;
  return plan.dropLast ? Math.floor(steps) : Math.ceil(steps);
}

/** The number of rows that every epoch draws. */
export function drawnRows({ rows, rates }: Pick<BatchPlan, 'rows' | 'rates'>): number {
  return rates ? Math.max(1, Math.floor(sum(rates) + 1e-6)) : rows.length;
}

/**
 * The rows in an epoch's order.
 *
 * @example
 * epochOrder(plan, 3) // always the same for seed and epoch 3
 */
export function epochOrder({ rows, shuffle, seed, rates }: BatchPlan, epoch: number): Int32Array {
  const drawn = rates ? drawRows(rows, rates, randomStream('sampling', seed, epoch, 0)) : rows;
  return shuffle ? shuffled(drawn, randomStream('order', seed, epoch, 0)) : drawn;
}

/**
 * Draws each row as often as its rate says: rounded down or up, at random, so that the mean is the rate. The number of all
 * is fixed: rows in random order lie side by side, each as long as its rate, and marks at equal distances are counted.
 */
function drawRows(rows: Int32Array, rates: Float64Array, stream: RandomStream): Int32Array {
  const count = drawnRows({ rows, rates });
  const scale = count / sum(rates);
  const drawn = new Int32Array(count);
  const offset = stream.uniform();
  const places = shuffled(
    Int32Array.from(rows, (_, place) => place),
    stream,
  );
  let end = 0;
  let next = 0;
  for (const place of places) {
    end += rates[place]! * scale;
    while (next < count && next + offset < end) drawn[next++] = rows[place]!;
  }
  // Rounding may leave the last mark just beyond the end.
  while (next < count) drawn[next++] = rows[places.at(-1)!]!;
  return drawn;
}

/**
 * How often each row of an epoch's order was in it before.
 *
 * @example
 * earlierDraws(Int32Array.of(7, 3, 7, 7)) // 0, 0, 1, 2
 */
export function earlierDraws(order: Int32Array): Int32Array {
  const counts = new Map<number, number>();
  return order.map((row) => {
    const earlier = counts.get(row) ?? 0;
    counts.set(row, earlier + 1);
    return earlier;
  });
}

function sum(values: Float64Array): number {
  return values.reduce((total, value) => total + value, 0);
}

/**
 * This rank's share of a step: each part of the batch is split into `world` pieces, so that the pieces of all
 * ranks together are what a single process would compute at once.
 *
 * @example
 * rowsOfStep({ ...plan, batchSize: 8, rank: 1, world: 4 }, order, 0) // order[2], order[3]
 */
export function rowsOfStep(
  { batchSize, rank, world, parts = 1 }: BatchPlan,
  order: Int32Array,
  step: number,
): Int32Array {
  const batch = order.subarray(step * batchSize, (step + 1) * batchSize);
  const shares = Array.from({ length: parts }, (_, number) => {
    const part = shareOf(batch.length, { rank: number, worldSize: parts });
    const own = shareOf(part.end - part.start, { rank, worldSize: world });
    return batch.subarray(part.start + own.start, part.start + own.end);
  });
  return parts === 1 ? shares[0]! : Int32Array.from(shares.flatMap((share) => [...share]));
}

/** The most rows that a rank gets in a step. */
export function largestRows({ batchSize, world, parts = 1 }: BatchPlan): number {
  return parts * largestShare(Math.ceil(batchSize / parts), { worldSize: world });
}

/** Throws if a plan is impossible. */
export function checkPlan({ rows, batchSize, shuffle, dropLast, rank, world, rates }: BatchPlan): void {
  if (!(Number.isInteger(batchSize) && batchSize > 0)) {
    throw new RangeError(`batchSize is ${batchSize}; expected an integer of 1 or more`);
  }
  if (!(Number.isInteger(world) && world > 0)) throw new RangeError(`world is ${world}; expected 1 or more`);
  if (!(Number.isInteger(rank) && rank >= 0 && rank < world)) {
    throw new RangeError(`rank is ${rank}; expected 0 to ${world - 1}`);
  }
  if (batchSize < world) {
    throw new RangeError(`a batch of ${batchSize} cannot be shared among ${world} processes`);
  }
  if (rows.length === 0) throw new RangeError('there are no rows to load');
  if (rates && !shuffle) throw new RangeError('rates need shuffle: rows are drawn at random');
  if (rates && rates.length !== rows.length) {
    throw new RangeError(`there are ${rates.length} rates for ${counted(rows.length, 'row')}`);
  }
  const drawn = drawnRows({ rows, rates });
  if (dropLast && drawn < batchSize) {
    throw new RangeError(
      `${counted(drawn, 'row')} ${inflected(drawn, 'is', 'are')} fewer than one batch of ${batchSize}; dropLast would leave nothing`,
    );
  }
}
