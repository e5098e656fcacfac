import { describe, expect, test } from 'vitest';
import { readFixture } from '../../test/files.js';
import { NumpyRandom } from '../random/numpyRandom.js';
import { groupShuffleSplit } from './groupShuffleSplit.js';
import { shuffleSplit } from './shuffleSplit.js';
import type { Split, SplitSizes } from './splitSizes.js';
import { stratifiedShuffleSplit } from './stratifiedShuffleSplit.js';
import { threeWaySplit } from './threeWaySplit.js';

interface Case extends SplitSizes {
  readonly seed: number;
  readonly splits: { train: number[]; test: number[] }[];
}
const fixture: {
  shuffle: (Case & { count: number })[];
  stratified: (Case & { strata: (number | string)[] })[];
  group: (Case & { groups: (number | string)[] })[];
} = readFixture('numpy_splits.json');

// scikit-learn draws its second split from the same generator, after the first.
function expectSplits({ seed, splits }: Case, draw: (random: NumpyRandom) => Split): void {
  const random = new NumpyRandom(seed);
  for (const expected of splits) {
    const { train, test } = draw(random);
    expect({ train: [...train], test: [...test] }).toEqual(expected);
  }
}

describe('the indices match scikit-learn', () => {
  test.each(fixture.shuffle)('ShuffleSplit of $count', (given) => {
    expectSplits(given, (random) => shuffleSplit(given.count, { ...given, random }));
  });
  test.each(fixture.stratified)('StratifiedShuffleSplit, test $testSize, train $trainSize', (given) => {
    expectSplits(given, (random) => stratifiedShuffleSplit(given.strata, { ...given, random }));
  });
  test.each(fixture.group)('GroupShuffleSplit, test $testSize, train $trainSize', (given) => {
    expectSplits(given, (random) => groupShuffleSplit(given.groups, { ...given, random }));
  });
});

test('groups can be numbered in order of appearance, and the result lists them', () => {
  const groups = ['z', 'a', 'z', 'm', 'a', 'q'];
  const byAppearance = groupShuffleSplit(groups, { testSize: 0.5, random: 42, groupOrder: 'appearance' });
  const drawn = shuffleSplit(4, { testSize: 0.5, random: 42 });
  const names = (indices: Int32Array) => Array.from(indices, (index) => ['z', 'a', 'm', 'q'][index]);
  expect(byAppearance.testGroups).toEqual(names(drawn.test));
  expect(byAppearance.trainGroups).toEqual(names(drawn.train));
  for (const row of byAppearance.test) expect(byAppearance.testGroups).toContain(groups[row]);
});

test('the test part can be split again into validation and test', () => {
  const split = threeWaySplit(shuffleSplit(10, { testSize: 0.4, random: 42 }), (rest) =>
    shuffleSplit(rest.length, { testSize: 0.5, random: 42 }),
  );
  expect([...split.train]).toEqual([7, 2, 9, 4, 3, 6]);
  expect([...split.validation]).toEqual([8, 5]);
  expect([...split.test]).toEqual([1, 0]);
});

describe('bad arguments are named', () => {
  const random = 0;
  test.each([
    ['no size', () => shuffleSplit(10, { random }), 'needs testSize or trainSize'],
    ['a share of 0', () => shuffleSplit(10, { testSize: 0, random }), 'testSize is 0'],
    ['all of them', () => shuffleSplit(10, { trainSize: 10, random }), 'trainSize is 10'],
    ['not a whole number', () => shuffleSplit(10, { testSize: 2.5, random }), 'testSize is 2.5'],
    ['too many', () => shuffleSplit(10, { testSize: 6, trainSize: 6, random }), 'exceed the 10 items'],
    ['an empty side', () => shuffleSplit(1, { testSize: 0.5, random }), 'would be empty'],
    [
      'a lone member',
      () => stratifiedShuffleSplit([1, 1, 2], { testSize: 1, random }),
      'stratum 2 has one member (row 2)',
    ],
    [
      'few places',
      () => stratifiedShuffleSplit([1, 1, 2, 2], { testSize: 1, random }),
      'the test part has 1 items for 2 strata',
    ],
    [
      'mixed keys',
      () => groupShuffleSplit([1, 'a'], { testSize: 0.5, random }),
      'groups[1] is a; expected a number',
    ],
    ['NaN', () => groupShuffleSplit([1, Number.NaN], { testSize: 0.5, random }), 'groups[1] is NaN'],
  ])('%s', (_, call, message) => {
    expect(call).toThrow(message);
  });
});
