import type { Split } from './splitSizes.js';

/** Indices of the three parts. */
export interface ThreeWaySplit {
  readonly train: Int32Array;
  readonly validation: Int32Array;
  readonly test: Int32Array;
}

/**
 * Splits the test part of a split again, into validation and test. `splitRest` gets the indices of that part and splits
 * them by position, as scikit-learn does with a list.
 *
 * @example
 * threeWaySplit(shuffleSplit(10, { testSize: 0.4, random: 42 }), (rest) =>
 *   shuffleSplit(rest.length, { testSize: 0.5, random: 42 }),
 * ) // train 7 2 9 4 3 6, validation 8 5, test 1 0  (rest: 8 1 5 0)
 */
export function threeWaySplit(first: Split, splitRest: (rest: Int32Array) => Split): ThreeWaySplit {
  const again = splitRest(first.test);
  const pick = (positions: Int32Array) => positions.map((position) => first.test[position]!);
  return { train: first.train, validation: pick(again.train), test: pick(again.test) };
}
