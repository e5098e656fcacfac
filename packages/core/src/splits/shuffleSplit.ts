import { NumpyRandom } from '../random/numpyRandom.js';
import { type Split, type SplitSizes, sizesOfSplit } from './splitSizes.js';

/** Sizes and the source of randomness. */
export interface ShuffleSplitOptions extends SplitSizes {
  /** A seed, or a generator; drawing twice from one generator gives scikit-learn's second split. */
  readonly random: number | NumpyRandom;
}

/**
 * Splits `count` items at random, with the same indices as scikit-learn's `ShuffleSplit` and `train_test_split`.
 *
 * @example
 * shuffleSplit(10, { testSize: 0.3, random: 42 })
 * // train 0 7 2 9 4 3 6, test 8 1 5
 */
export function shuffleSplit(count: number, options: ShuffleSplitOptions): Split {
  const sizes = sizesOfSplit(count, options, 'items');
  const order = generatorOf(options.random).permutation(count);
  return { train: order.slice(sizes.test, sizes.test + sizes.train), test: order.slice(0, sizes.test) };
}

/** Returns the given generator, or a new one from the seed. */
export function generatorOf(random: number | NumpyRandom): NumpyRandom {
  return typeof random === 'number' ? new NumpyRandom(random) : random;
}
