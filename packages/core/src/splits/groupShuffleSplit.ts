import { distinctKeys, type Key } from '../labels/distinctKeys.js';
import { generatorOf, type ShuffleSplitOptions } from './shuffleSplit.js';
import { type Split, sizesOfSplit } from './splitSizes.js';

/** Options; sizes are shares or numbers of groups, not of rows. */
export interface GroupShuffleSplitOptions extends ShuffleSplitOptions {
  /** Which group is number 0: the smallest (as in scikit-learn) or the first to appear. */
  readonly groupOrder?: 'sorted' | 'appearance';
}

/** Row indices in ascending order, and the groups on each side in the order they were drawn. */
export interface GroupSplit extends Split {
  readonly trainGroups: readonly Key[];
  readonly testGroups: readonly Key[];
}

/**
 * Splits rows at random but keeps the rows of a group together, so that no patient is on both sides. Gives the same
 * indices as scikit-learn's `GroupShuffleSplit`.
 *
 * @example
 * groupShuffleSplit([1, 1, 2, 2, 2, 3, 3, 3], { trainSize: 0.7, random: 42 })
 * // train 2 3 4 5 6 7, test 0 1
 */
export function groupShuffleSplit(groups: ArrayLike<Key>, options: GroupShuffleSplitOptions): GroupSplit {
  const { keys, indices } = distinctKeys(groups, options.groupOrder ?? 'sorted', 'groups');
  const sizes = sizesOfSplit(keys.length, options, 'groups');
  const order = generatorOf(options.random).permutation(keys.length);
  const testGroups = order.subarray(0, sizes.test);
  const trainGroups = order.subarray(sizes.test, sizes.test + sizes.train);
  return {
    train: rowsOfGroups(indices, trainGroups, keys.length),
    test: rowsOfGroups(indices, testGroups, keys.length),
    trainGroups: Array.from(trainGroups, (group) => keys[group]!),
    testGroups: Array.from(testGroups, (group) => keys[group]!),
  };
}

function rowsOfGroups(groupOfRow: Int32Array, chosen: Int32Array, groupCount: number): Int32Array {
  const isChosen = new Uint8Array(groupCount);
  for (const group of chosen) isChosen[group] = 1;
  const rows: number[] = [];
  groupOfRow.forEach((group, row) => {
    if (isChosen[group] === 1) rows.push(row);
  });
  return Int32Array.from(rows);
}
