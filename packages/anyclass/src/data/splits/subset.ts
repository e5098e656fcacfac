import { DataError } from '../../errors/dataError.js';
import type { LabelMatrix } from '../labelMatrix.js';
import { randomStream, shuffled } from '../philox.js';
import { growingInt32 } from '../typedArrays.js';

/** Which rows of the training split to use; the rest stays out. */
export interface SubsetOptions {
  /** Negatives per positive: 0 keeps positives only, 1 as many of each. Default: all negatives. */
  readonly negativesPerPositive?: number;
  /** At most this many rows, positives and negatives in the proportion they then have. */
  readonly instances?: number;
  /** Default 0. */
  readonly seed?: number;
}

/**
 * Choose training rows: positives only, a ratio of negatives to positives, a number of instances. The choice for a smaller
 * number is part of that for a larger one, so that learning curves compare like with like.
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
    throw new RangeError(`instances is ${instances}; expected a whole number of 1 or more`);
  }
  const positive = growingInt32();
  const other = growingInt32();
  for (const row of rows) (labels.presence(row) === 'positive' ? positive : other).push(row);
  const positives = shuffled(positive.finish(), randomStream('subset', seed, 0, 0));
  let others = shuffled(other.finish(), randomStream('subset', seed, 0, 1));
  if (negativesPerPositive !== undefined) {
    const wanted = Math.round(positives.length * negativesPerPositive);
    if (wanted > others.length) {
      throw new DataError(
        `data.subset.negativesPerPositive is ${negativesPerPositive}, which needs ${wanted} negatives; there are ${others.length}`,
      );
    }
    others = others.subarray(0, wanted);
  }
  const total = positives.length + others.length;
  if (instances === undefined) return sorted(positives, others);
  if (instances > total) {
    throw new DataError(`data.subset.instances is ${instances}; there are ${total} training images`);
  }
  const fromPositives = Math.round((instances * positives.length) / total);
  return sorted(positives.subarray(0, fromPositives), others.subarray(0, instances - fromPositives));
}

function sorted(a: Int32Array, b: Int32Array): Int32Array {
  const rows = new Int32Array(a.length + b.length);
  rows.set(a);
  rows.set(b, a.length);
  return rows.sort();
}
