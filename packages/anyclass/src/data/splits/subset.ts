import { inflected } from '../../errors/counted.js';
import { DataError } from '../../errors/dataError.js';
import type { LabelMatrix } from '../dataset/labelMatrix.js';
import { growingInt32 } from '../dataset/typedArrays.js';
import { randomStream, shuffled } from '../random/philox.js';

/** Which rows of the training split to use; the rest are left out. */
export interface SubsetOptions {
  /**
   * Negatives per positive: 0 leaves out all negatives, 1 keeps equally many of both. Undecided rows, which
   * an unknown label could make positive, stay. Default: all negatives.
   */
  readonly negativesPerPositive?: number;
  /**
   * This many rows: positives, negatives, and undecided ones in their proportions after applying the ratio.
   */
  readonly instances?: number;
  /** Default 0. */
  readonly seed?: number;
}

/**
 * Chooses training rows: only positives, a ratio of negatives to positives, or a number of instances. A
 * smaller subset is part of every larger one, so that learning curves compare like with like.
 *
 * @example
 * chooseSubset(dataset.splits.train, dataset.labels, { negativesPerPositive: 1, instances: 10000 }).length // 10000
 */
export function chooseSubset(rows: Int32Array, labels: LabelMatrix, options: SubsetOptions): Int32Array {
  const { negativesPerPositive, instances, seed = 0 } = options;
  if (negativesPerPositive !== undefined && !(negativesPerPositive >= 0)) {
    throw new RangeError(`negativesPerPositive is ${negativesPerPositive}; expected 0 or more`);
  }
  if (instances !== undefined && !(Number.isInteger(instances) && instances > 0)) {
    throw new RangeError(`instances is ${instances}; expected an integer of 1 or more`);
  }
  const found = { positive: growingInt32(), negative: growingInt32(), undecided: growingInt32() };
  for (const row of rows) found[labels.presence(row)].push(row);
  const positives = shuffled(found.positive.finish(), randomStream('subset', seed, 0, 0));
  let negatives = shuffled(found.negative.finish(), randomStream('subset', seed, 0, 1));
  const undecided = shuffled(found.undecided.finish(), randomStream('subset', seed, 0, 2));
  if (negativesPerPositive !== undefined) {
    const wanted = Math.round(positives.length * negativesPerPositive);
    if (wanted > negatives.length) {
      const left =
        undecided.length > 0
          ? ` (${undecided.length} ${inflected(undecided.length, 'instance is', 'instances are')} undecided)`
          : '';
      throw new DataError(
        `data.subset.negativesPerPositive is ${negativesPerPositive}, which needs ${wanted} negatives; there are ${negatives.length}${left}`,
      );
    }
    negatives = negatives.subarray(0, wanted);
  }
  const others = negatives.length + undecided.length;
  const total = positives.length + others;
  if (instances === undefined) return sorted(positives, negatives, undecided);
  if (instances > total) {
    throw new DataError(`data.subset.instances is ${instances}; there are ${total} training instances`);
  }
  const fromPositives = Math.round((instances * positives.length) / total);
  const fromOthers = instances - fromPositives;
  const fromUndecided = Math.round((fromOthers * undecided.length) / Math.max(1, others));
  return sorted(
    positives.subarray(0, fromPositives),
    negatives.subarray(0, fromOthers - fromUndecided),
    undecided.subarray(0, fromUndecided),
  );
}

function sorted(...parts: readonly Int32Array[]): Int32Array {
  const rows = new Int32Array(parts.reduce((sum, part) => sum + part.length, 0));
  let length = 0;
  for (const part of parts) {
    rows.set(part, length);
    length += part.length;
  }
  return rows.sort();
}
