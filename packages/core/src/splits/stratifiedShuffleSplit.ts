import { distinctKeys, type Key } from '../labels/distinctKeys.js';
import type { NumpyRandom } from '../random/numpyRandom.js';
import { generatorOf, type ShuffleSplitOptions } from './shuffleSplit.js';
import { type Split, sizesOfSplit } from './splitSizes.js';

/**
 * Splits items at random so that every stratum has its share of both sides. Gives the same indices as scikit-learn's
 * `StratifiedShuffleSplit`. Strata are numbered in ascending order.
 *
 * @example
 * stratifiedShuffleSplit([0, 0, 0, 1, 1, 1], { testSize: 0.5, random: 0 })
 * // train 5 2 3, test 4 1 0
 */
export function stratifiedShuffleSplit(strata: ArrayLike<Key>, options: ShuffleSplitOptions): Split {
  const sizes = sizesOfSplit(strata.length, options, 'items');
  const { keys, indices } = distinctKeys(strata, 'sorted', 'strata');
  const members = membersOfStrata(indices, keys.length);
  refuseSmallStrata(keys, members, sizes);

  const random = generatorOf(options.random);
  const counts = members.map((rows) => rows.length);
  const trainCounts = allot(counts, sizes.train, random);
  const testCounts = allot(
    counts.map((count, stratum) => count - trainCounts[stratum]!),
    sizes.test,
    random,
  );

  const train: number[] = [];
  const test: number[] = [];
  members.forEach((rows, stratum) => {
    const drawn = Array.from(random.permutation(rows.length), (position) => rows[position]!);
    const trainCount = trainCounts[stratum]!;
    for (const row of drawn.slice(0, trainCount)) train.push(row);
    for (const row of drawn.slice(trainCount, trainCount + testCounts[stratum]!)) test.push(row);
  });
  random.shuffle(train);
  random.shuffle(test);
  return { train: Int32Array.from(train), test: Int32Array.from(test) };
}

function membersOfStrata(stratumOfRow: Int32Array, strataCount: number): number[][] {
  const members: number[][] = Array.from({ length: strataCount }, () => []);
  stratumOfRow.forEach((stratum, row) => {
    members[stratum]!.push(row);
  });
  return members;
}

function refuseSmallStrata(
  keys: readonly Key[],
  members: readonly number[][],
  sizes: { train: number; test: number },
): void {
  members.forEach((rows, stratum) => {
    if (rows.length < 2) {
      throw new RangeError(
        `stratum ${keys[stratum]} has one member (row ${rows[0]}); a stratified split needs two or more`,
      );
    }
  });
  for (const [side, size] of Object.entries(sizes)) {
    if (size < keys.length) {
      throw new RangeError(
        `the ${side} part has ${size} items for ${keys.length} strata; expected at least one each`,
      );
    }
  }
}

// The (approximate) mode of the multivariate hypergeometric distribution: round down, then give what is missing to the
// largest remainders. Among equal remainders the choice is drawn at random, even if all of them get one, since
// scikit-learn consumes those random numbers too.
function allot(counts: readonly number[], draws: number, random: NumpyRandom): number[] {
  const total = counts.reduce((sum, count) => sum + count, 0);
  const shares = counts.map((count) => (count / total) * draws);
  const alloted = shares.map(Math.floor);
  const remainders = shares.map((share, stratum) => share - alloted[stratum]!);
  let missing = draws - alloted.reduce((sum, count) => sum + count, 0);
  const largestFirst = [...new Set(remainders)].sort((a, b) => b - a);
  for (const remainder of largestFirst) {
    if (missing === 0) break;
    const tied = remainders.flatMap((value, stratum) => (value === remainder ? [stratum] : []));
    const added = Math.min(tied.length, missing);
    for (const position of random.choice(tied.length, added, { replace: false })) {
      const stratum = tied[position]!;
      alloted[stratum] = alloted[stratum]! + 1;
    }
    missing -= added;
  }
  return alloted;
}
