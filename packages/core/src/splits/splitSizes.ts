/** The sizes of a split. At least one is required; the other defaults to the rest. */
export interface SplitSizes {
  /** A share between 0 and 1 (rounded up), or a positive number of items. */
  readonly testSize?: number;
  /** A share between 0 and 1 (rounded down), or a positive number of items. */
  readonly trainSize?: number;
}

/** Two disjoint sets of indices, in the order they were drawn. */
export interface Split {
  readonly train: Int32Array;
  readonly test: Int32Array;
}

/** Returns the sizes in items, rounded as in scikit-learn. `what` names the items in errors. */
export function sizesOfSplit(
  count: number,
  { testSize, trainSize }: SplitSizes,
  what: string,
): { train: number; test: number } {
  if (testSize === undefined && trainSize === undefined) {
    throw new TypeError('a split needs testSize or trainSize');
  }
  const testCount =
    testSize === undefined ? undefined : itemCount('testSize', testSize, count, what, Math.ceil);
  const trainCount =
    trainSize === undefined ? undefined : itemCount('trainSize', trainSize, count, what, Math.floor);
  const test = testCount ?? count - (trainCount ?? 0);
  const train = trainCount ?? count - test;
  const given = `testSize ${testSize ?? 'left out'}, trainSize ${trainSize ?? 'left out'}`;
  if (train + test > count) {
    throw new RangeError(
      `${train} for training and ${test} for testing exceed the ${count} ${what} (${given})`,
    );
  }
  if (train < 1) throw new RangeError(`the training part of ${count} ${what} would be empty (${given})`);
  return { train, test };
}

function itemCount(
  name: string,
  size: number,
  count: number,
  what: string,
  round: (value: number) => number,
): number {
  const isShare = size > 0 && size < 1;
  const isCount = Number.isInteger(size) && size >= 1 && size < count;
  if (!isShare && !isCount) {
    throw new RangeError(
      `${name} is ${size}; expected a share between 0 and 1, or a whole number from 1 to ${count - 1} of the ${count} ${what}`,
    );
  }
  return isShare ? round(size * count) : size;
}
