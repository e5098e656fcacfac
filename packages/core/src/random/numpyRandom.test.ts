import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readFixture } from '../../test/files.js';
import { MersenneTwister } from './mersenneTwister.js';
import { NumpyRandom } from './numpyRandom.js';

interface Draws {
  readonly seed: number;
  readonly shuffled: string[];
  readonly permutation: number[];
  readonly integers: number[];
  readonly uniform: number[];
  readonly choice: number[];
  readonly choiceOfSixteen: number[];
  readonly weighted: number[];
  readonly weightedOnce: number[];
  readonly after: number;
}
const fixture: { draws: Draws[] } = readFixture('numpy_splits.json');

test('MT19937 with the reference seed gives the published words', () => {
  const words = new MersenneTwister(5489);
  expect(words.next()).toBe(3499211612);
  for (let i = 2; i < 10000; i++) words.next();
  expect(words.next()).toBe(4123659995);
});

test.each(fixture.draws)('RandomState($seed) is reproduced draw by draw', (expected) => {
  const random = new NumpyRandom(expected.seed);
  const words = ['a', 'b', 'c', 'd', 'e', 'f'];
  random.shuffle(words);
  expect(words).toEqual(expected.shuffled);
  expect([...random.permutation(1500)]).toEqual(expected.permutation);
  expect([1, 2, 3, 100, 2 ** 31, 2 ** 32].map((count) => random.integer(count))).toEqual(expected.integers);
  expect(expected.uniform.map(() => random.random())).toEqual(expected.uniform);
  expect([...random.choice(1000, 20)]).toEqual(expected.choice);
  expect([...random.choice(16, 5, { replace: false })]).toEqual(expected.choiceOfSixteen);
  const probabilities = [0.1, 0, 0.4, 0.2, 0.3];
  expect([...random.choice(5, 12, { probabilities })]).toEqual(expected.weighted);
  expect([...random.choice(5, 4, { probabilities, replace: false })]).toEqual(expected.weightedOnce);
  expect(random.integer(2 ** 32)).toBe(expected.after);
});

test('the examples in the documentation hold', () => {
  expect([...new NumpyRandom(42).permutation(10)]).toEqual([8, 1, 5, 0, 7, 2, 9, 4, 3, 6]);
  expect(new NumpyRandom(42).random()).toBe(0.3745401188473625);
  expect(new NumpyRandom(42).integer(100)).toBe(51);
  expect([...new NumpyRandom(0).permutation(4)]).toEqual([2, 3, 1, 0]);
  expect([...new NumpyRandom(42).choice(5, 3, { replace: false })]).toEqual([1, 4, 2]);
  const values = ['a', 'b', 'c', 'd'];
  new NumpyRandom(1).shuffle(values);
  expect(values).toEqual(['d', 'c', 'a', 'b']);
});

test('a permutation contains every number once', () => {
  fc.assert(
    fc.property(fc.nat(300), fc.nat(1e6), (count, seed) => {
      const sorted = new NumpyRandom(seed).permutation(count).sort();
      expect([...sorted]).toEqual([...Array(count).keys()]);
    }),
  );
});

describe('bad arguments are named', () => {
  const random = new NumpyRandom(0);
  test.each([
    ['seed', () => new NumpyRandom(-1), 'seed is -1'],
    ['fractional seed', () => new NumpyRandom(0.5), 'seed is 0.5'],
    ['count', () => random.integer(0), 'count is 0'],
    ['permutation', () => random.permutation(-2), 'count is -2'],
    ['size', () => random.choice(3, -1), 'size is -1'],
    ['too many', () => random.choice(3, 4, { replace: false }), 'size is 4, but there are 3'],
    ['length', () => random.choice(3, 1, { probabilities: [1] }), 'probabilities has 1 entries for 3'],
    ['sum', () => random.choice(2, 1, { probabilities: [0.5, 0.4] }), 'probabilities sum to 0.9'],
    ['negative', () => random.choice(2, 1, { probabilities: [2, -1] }), 'probabilities[1] is -1'],
    [
      'impossible',
      () => random.choice(2, 2, { probabilities: [1, 0], replace: false }),
      'only 1 probabilities are above 0',
    ],
  ])('%s', (_, call, message) => {
    expect(call).toThrow(RangeError);
    expect(call).toThrow(message);
  });
});

test.each([1, 2, 5, 1000, 5000])('counted draws of %i items are those of choice', (items) => {
  const [first, second] = [new NumpyRandom(42), new NumpyRandom(42)];
  const counts = new Uint16Array(items);
  for (let repeat = 0; repeat < 3; repeat++) {
    first.countDraws(counts);
    const expected = new Array<number>(items).fill(0);
    for (const item of second.choice(items, items)) expected[item] = expected[item]! + 1;
    expect([...counts]).toEqual(expected);
  }
  expect(first.random()).toBe(second.random());
});
