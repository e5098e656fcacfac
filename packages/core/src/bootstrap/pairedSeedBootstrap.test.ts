import { expect, test } from 'vitest';
import { NumpyRandom } from '../random/numpyRandom.js';
import { pairedBootstrap } from './pairedBootstrap.js';
import { pairedSeedBootstrap } from './pairedSeedBootstrap.js';
import { bootstrapSeeds, seedDifference } from './seedBootstrap.js';

const rows = 60;
const classNames = ['crack', 'roots'];
const random = new NumpyRandom(3);
const targets = Array.from({ length: rows * 2 }, (_, i) => Number(i % 7 === 0 || i % 11 === 0));
const model = (strength: number) => ({
  scored: {
    scores: Float64Array.from(
      targets,
      (target) => 1 / (1 + Math.exp(-strength * target + 3 * random.random() - 1)),
    ),
    targets,
    classNames,
  },
  threshold: 0.5,
});
const first = [model(1), model(1.2)];
const second = [model(2.5), model(3)];
const draw = { replicates: 80, seed: 4 };

test('with one model each it is the paired bootstrap, class by class', () => {
  const paired = pairedBootstrap(first[0]!.scored, second[0]!.scored, draw);
  const groups = pairedSeedBootstrap(first.slice(0, 1), second.slice(0, 1), draw);
  expect(groups.overall).toEqual(paired.overall);
  expect(groups.perClass).toEqual(paired.perClass);
});

test('with several seeds, differences are those of the means, as bootstrapSeeds has them', () => {
  const judged = [first, second].map((group) => group.map(({ scored }) => ({ scored, thresholds: [0.5] })));
  const [one, two] = bootstrapSeeds(judged, draw).map(([atHalf]) => atHalf!);
  const expected = seedDifference(one!, two!);
  const { overall, first: own } = pairedSeedBootstrap(first, second, draw);
  for (const metric of ['macroF1', 'mAP', 'f1Neg', 'falseAlarmRate'] as const) {
    expect(overall[metric]?.value).toBeCloseTo(expected[metric]!.value, 12);
    expect(overall[metric]?.low).toBeCloseTo(expected[metric]!.low, 12);
    expect(overall[metric]?.high).toBeCloseTo(expected[metric]!.high, 12);
  }
  expect(own.length).toBe(2);
});

test('a time limit leaves at least 50 replicates; empty groups and other rows are refused', () => {
  expect(pairedSeedBootstrap(first, second, { ...draw, seconds: 0 }).replicates).toBe(50);
  expect(() => pairedSeedBootstrap([], second)).toThrow(/no models/);
  const other = {
    ...first[0]!,
    scored: { ...first[0]!.scored, targets: targets.map((target) => 1 - target) },
  };
  expect(() => pairedSeedBootstrap(first, [other])).toThrow(RangeError);
});
