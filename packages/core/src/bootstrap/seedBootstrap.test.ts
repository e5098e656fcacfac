import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { labelOrUnknown, scoredRows } from '../../test/scoredRows.js';
import { metricsOf } from '../metrics/measure.js';
import { prepareMeasurement } from '../metrics/measurement.js';
import { packDraws } from '../metrics/packedDraws.js';
import type { Scored } from '../metrics/scored.js';
import { NumpyRandom } from '../random/numpyRandom.js';
import { fitThresholds } from '../thresholds/fitThresholds.js';
import { pairedBootstrap } from './pairedBootstrap.js';
import { drawnMetrics, paperMetricNames, prepareModel } from './paperMetrics.js';
import { bootstrapSeeds, joinSeeds, seedDifference } from './seedBootstrap.js';

const random = (seed: number) => {
  const source = new NumpyRandom(seed);
  return () => source.integer(1 << 24) / (1 << 24);
};

/** Scores that increase with the label by `strength`, plus noise that the population's models partly share. */
function population(rows: number, strengths: readonly number[], seed: number): Scored[] {
  const next = random(seed);
  const noise = () => next() + next() + next() - 1.5;
  const classNames = ['crack', 'roots'];
  const targets = Array.from({ length: rows * 2 }, () => (next() < 0.3 ? 1 : 0));
  const shared = targets.map(noise);
  return strengths.map((strength) => ({
    scores: Float64Array.from(
      targets,
      (y, i) => strength * (y - 0.5) + 0.5 + 0.6 * shared[i]! + 0.4 * noise(),
    ),
    targets,
    classNames,
    split: 'test',
  }));
}

const atHalf = (scored: Scored) => ({ scored, thresholds: [0.5] });
const example = population(120, [0.4, 0.5, 0.8], 1);

test('joined groups equal one group of all their models', () => {
  const [first, second, third] = example.map(atHalf);
  const options = { replicates: 20 };
  const joined = joinSeeds(bootstrapSeeds([[first!, second!], [third!]], options).flat());
  const all = bootstrapSeeds([[first!, second!, third!]], options)[0]![0]!;
  expect(joined.models).toEqual(all.models);
  for (const metric of paperMetricNames) {
    const expected = all.replicates.map((draw) => draw[metric]);
    joined.replicates.forEach((draw, i) => {
      if (expected[i] === null) expect(draw[metric]).toBeNull();
      else expect(draw[metric]).toBeCloseTo(expected[i]!, 12);
    });
  }
  expect(() => joinSeeds([])).toThrow('there is no group to join');
});

test('the metrics of a draw match the full metrics on it', () => {
  fc.assert(
    fc.property(
      scoredRows(labelOrUnknown),
      fc.infiniteStream(fc.integer({ min: 0, max: 4 })),
      (scored, times) => {
        const multiplicities = Uint16Array.from(
          { length: scored.targets.length / scored.classNames.length },
          () => times.next().value ?? 0,
        );
        const options = { classImportance: scored.classNames.map((_, j) => j + 1) };
        const thresholds = [0.5, 0.25];
        const batch = packDraws([multiplicities]);
        const [found] = drawnMetrics(prepareModel(scored, thresholds, options), batch);
        thresholds.forEach((threshold, i) => {
          const expected = metricsOf(prepareMeasurement(scored, { ...options, threshold }), multiplicities);
          for (const metric of paperMetricNames) {
            const value = expected[metric];
            if (value === null) expect(found![i]![metric]).toBeNull();
            else expect(found![i]![metric]).toBeCloseTo(value, 12);
          }
        });
      },
    ),
  );
});

/** The difference between two groups at 0.5, second minus first. */
function differenceOfGroups(
  first: readonly Scored[],
  second: readonly Scored[],
  replicates: number,
  seed = 3,
) {
  const groups = bootstrapSeeds([first.map(atHalf), second.map(atHalf)], { replicates, seed });
  return seedDifference(groups[0]![0]!, groups[1]![0]!);
}

test('with one seed on each side, the difference matches the paired bootstrap', () => {
  const [first, , second] = example;
  const paired = pairedBootstrap(first!, second!, { replicates: 60, seed: 3 }).overall;
  const difference = differenceOfGroups([first!], [second!], 60);
  for (const metric of ['macroF1', 'macroF2', 'mAP', 'f1Neg'] as const) {
    expect(difference[metric]!.value).toBeCloseTo(paired[metric]!.value, 12);
    expect(difference[metric]!.low).toBeCloseTo(paired[metric]!.low, 12);
    expect(difference[metric]!.high).toBeCloseTo(paired[metric]!.high, 12);
    expect(difference[metric]!.pValue).toBe(paired[metric]!.pValue);
  }
});

test("in every draw, a group's metric is the mean over its seeds", () => {
  const [a, b, c] = example;
  const groups = bootstrapSeeds([[atHalf(a!), atHalf(b!)], [atHalf(c!)], [atHalf(a!)], [atHalf(b!)]], {
    replicates: 20,
  });
  const [both, , one, two] = groups.map((group) => group[0]!);
  both!.replicates.forEach((replicate, i) => {
    const mean = (one!.replicates[i]!.mAP! + two!.replicates[i]!.mAP!) / 2;
    expect(replicate.mAP).toBeCloseTo(mean, 12);
  });
  expect(both!.value.mAP).toBeCloseTo((one!.value.mAP! + two!.value.mAP!) / 2, 12);
  expect(both!.models.map(({ mAP }) => mAP)).toEqual([one!.value.mAP, two!.value.mAP]);
});

test('models can be evaluated at several threshold settings, and mAP is the same at each', () => {
  const [validation] = population(100, [0.5], 2);
  const fitted = fitThresholds({ ...validation!, split: 'validation' });
  const [settings] = bootstrapSeeds([[{ scored: example[0]!, thresholds: [0.5, fitted] }]], {
    replicates: 5,
  });
  expect(settings).toHaveLength(2);
  expect(settings![1]!.value.mAP).toBe(settings![0]!.value.mAP);
  expect(settings![1]!.value.macroF1).not.toBe(settings![0]!.value.macroF1);
});

test('the example in the documentation holds', () => {
  const targets = [1, 0, 0, 0, 0, 1];
  const model = (scores: number[]) => ({
    scores: Float64Array.from(scores),
    targets,
    classNames: ['crack', 'roots'],
  });
  const difference = differenceOfGroups(
    [model([0.9, 0.2, 0.6, 0.1, 0.3, 0.7]), model([0.9, 0.2, 0.4, 0.1, 0.3, 0.7])],
    [model([0.9, 0.2, 0.4, 0.1, 0.3, 0.7]), model([0.8, 0.1, 0.3, 0.1, 0.2, 0.9])],
    100,
    1,
  );
  expect(difference.macroF1).toMatchObject({ first: 0.9166666666666666, second: 1 });
});

// Coverage: over many samples of a population, 95% intervals contain the population's difference in about 95% of cases.
// With 150 samples, the share has a standard error of 1.8 points; percentile intervals are a little too short.
test('95% intervals of differences over seeds cover the true difference in 90 to 98.5% of samples', () => {
  const strengths = [0.45, 0.5, 0.55, 0.6, 0.65, 0.7];
  const groupsOf = (rows: number, seed: number): [Scored[], Scored[]] => {
    const models = population(rows, strengths, seed);
    return [models.slice(0, 3), models.slice(3)];
  };
  const truth = differenceOfGroups(...groupsOf(100_000, 999), 2);
  const samples = 150;
  const covered = { macroF1: 0, mAP: 0, f1Neg: 0 };
  for (let sample = 0; sample < samples; sample++) {
    const difference = differenceOfGroups(...groupsOf(250, sample), 150, sample);
    for (const metric of ['macroF1', 'mAP', 'f1Neg'] as const) {
      const { low, high } = difference[metric]!;
      if (low <= truth[metric]!.value && truth[metric]!.value <= high) covered[metric]++;
    }
  }
  for (const count of Object.values(covered)) {
    expect(count / samples).toBeGreaterThan(0.9);
    expect(count / samples).toBeLessThan(0.985);
  }
});

describe('bad arguments are named', () => {
  const [first, second] = example;
  test.each([
    ['no group', () => bootstrapSeeds([]), 'there is no group of models'],
    ['an empty group', () => bootstrapSeeds([[atHalf(first!)], []]), 'group 1 has no model'],
    [
      'other rows',
      () =>
        bootstrapSeeds([
          [atHalf(first!)],
          [atHalf({ ...second!, targets: Array.from(second!.targets).slice(2) })],
        ]),
      'targets',
    ],
    [
      'other settings',
      () => bootstrapSeeds([[atHalf(first!), { scored: second!, thresholds: [0.5, 0.6] }]]),
      'with 1 and with 2 threshold settings',
    ],
  ])('%s', (_, call, message) => {
    expect(call).toThrow(RangeError);
    expect(call).toThrow(message);
  });
});
