import { largestShare, shareOf } from '../../distribution/shares.js';
import { counted, inflected } from '../../errors/counted.js';
import { randomStream, shuffled } from '../random/philox.js';

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
  /** Number of parts of a batch that are computed one after another; the ranks share each part. Default 1. */
  readonly parts?: number;
}

/** The number of steps in an epoch, the same on every rank. */
export function stepsPerEpoch({ rows, batchSize, dropLast }: BatchPlan): number {
  return dropLast ? Math.floor(rows.length / batchSize) : Math.ceil(rows.length / batchSize);
}

/**
 * The rows in an epoch's order.
 *
 * @example
 * epochOrder(plan, 3) // always the same for seed and epoch 3
 */
export function epochOrder({ rows, shuffle, seed }: BatchPlan, epoch: number): Int32Array {
  return shuffle ? shuffled(rows, randomStream('order', seed, epoch, 0)) : rows;
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
export function checkPlan({ rows, batchSize, dropLast, rank, world }: BatchPlan): void {
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
  if (dropLast && rows.length < batchSize) {
    throw new RangeError(
      `${counted(rows.length, 'row')} ${inflected(rows.length, 'is', 'are')} fewer than one batch of ${batchSize}; dropLast would leave nothing`,
    );
  }
}
