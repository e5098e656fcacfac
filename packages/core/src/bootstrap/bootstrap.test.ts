import { describe, expect, test } from 'vitest';
import { readFixture } from '../../test/files.js';
import { measure } from '../metrics/measure.js';
import { NumpyRandom } from '../random/numpyRandom.js';
import { bootstrap, bootstrapAt } from './bootstrap.js';
import { pairedBootstrap } from './pairedBootstrap.js';
import { quantile } from './quantile.js';

type Metric = 'macroF1' | 'mAP' | 'rocAuc';
const fixture: {
  scores: number[];
  targets: number[];
  classes: number;
  replicates: number;
  seed: number;
  intervals: Record<Metric, { low: number; high: number; standardError: number }>;
} = readFixture('bootstrap.json');
const classNames = Array.from({ length: fixture.classes }, (_, j) => `class ${j}`);
const scored = { scores: Float64Array.from(fixture.scores), targets: fixture.targets, classNames };
const options = { replicates: fixture.replicates, seed: fixture.seed };

const metrics: Metric[] = ['macroF1', 'mAP', 'rocAuc'];
test.each(metrics)('the interval of %s matches scikit-learn on rows drawn by numpy', (metric) => {
  const interval = bootstrap(scored, options).overall[metric]!;
  expect(interval.value).toBe(measure(scored)[metric]);
  expect(interval.low).toBeCloseTo(fixture.intervals[metric].low, 12);
  expect(interval.high).toBeCloseTo(fixture.intervals[metric].high, 12);
  expect(interval.standardError).toBeCloseTo(fixture.intervals[metric].standardError, 12);
});

test('the examples in the documentation hold', () => {
  const targets = [1, 0, 0, 0, 0, 1];
  const names = ['crack', 'roots'];
  const first = { scores: new Float64Array([0.9, 0.2, 0.6, 0.1, 0.3, 0.7]), targets, classNames: names };
  const second = { scores: new Float64Array([0.9, 0.2, 0.4, 0.1, 0.3, 0.7]), targets, classNames: names };
  const interval = bootstrap(first, { replicates: 100, seed: 1 }).overall.microF1!;
  expect(interval).toMatchObject({ value: 0.8, high: 1 });
  expect(interval.low).toBeCloseTo(0.2375, 12);
  const difference = pairedBootstrap(first, second, { replicates: 100, seed: 1 }).overall.microF1!;
  expect(difference).toMatchObject({ first: 0.8, second: 1 });
  expect(difference.value).toBeCloseTo(0.2, 12);
  expect(quantile(new Float64Array([1, 2, 3, 4]), 0.5)).toBe(2.5);
});

test('per-class intervals are in class order', () => {
  const { perClass, metrics } = bootstrap(scored, options);
  expect(perClass.perClassAP.map((interval) => interval!.value)).toEqual(metrics.perClassAP);
  expect(perClass.perClassF2.map((interval) => interval!.value)).toEqual(metrics.perClassF2);
});

test('several threshold settings give the same results as each alone', () => {
  const settings = [0.5, 0.3];
  const together = bootstrapAt(scored, settings, options);
  expect(together).toEqual(settings.map((threshold) => bootstrap(scored, { ...options, threshold })));
  expect(together[0]!.overall.macroF1).not.toEqual(together[1]!.overall.macroF1);
  expect(() => bootstrapAt(scored, [])).toThrow('thresholds is empty');
});

test('groups are drawn as a whole: rows repeated within groups do not narrow an interval', () => {
  const rows = scored.targets.length / fixture.classes;
  const repeated = {
    scores: Float64Array.from([...scored.scores, ...scored.scores, ...scored.scores]),
    targets: [...scored.targets, ...scored.targets, ...scored.targets],
    classNames,
  };
  const grouped = { ...repeated, groups: Array.from({ length: 3 * rows }, (_, row) => row % rows) };
  const once = bootstrap(scored, options).overall.macroF1!;
  expect(bootstrap(grouped, options).overall.macroF1).toEqual(once);
  const independent = bootstrap(repeated, options).overall.macroF1!;
  expect(independent.high - independent.low).toBeLessThan(0.9 * (once.high - once.low));
});

test('the same seed gives the same intervals, another seed different ones', () => {
  const { overall } = bootstrap(scored, options);
  expect(bootstrap(scored, options).overall).toEqual(overall);
  expect(bootstrap(scored, { ...options, seed: 6 }).overall.mAP).not.toEqual(overall.mAP);
});

test('an undefined metric has no interval; one undefined in some replicates says in how many', () => {
  const rare = {
    scores: new Float64Array([0.9, 0.1, 0.8, 0.2, 0.3, 0.4]),
    targets: [1, 0, 0, 0, 0, 0],
    classNames: ['a', 'b'],
  };
  const { perClass, overall } = bootstrap(rare, { replicates: 200 });
  expect(perClass.perClassAP[1]).toBeNull();
  expect(overall.f2Ciw).toBeNull();
  // A row is missing from a draw of three with probability (2/3)³, about 0.3.
  const { undefinedReplicates } = perClass.perClassAP[0]!;
  expect(undefinedReplicates).toBeGreaterThan(30);
  expect(undefinedReplicates).toBeLessThan(90);
});

describe('the paired bootstrap', () => {
  test('finds no difference between a model and itself', () => {
    const { overall } = pairedBootstrap(scored, scored, options);
    expect(overall.mAP).toMatchObject({ value: 0, low: 0, high: 0, pValue: 1 });
  });
  test('gives the intervals of the differences on shared draws', () => {
    const noisy = { ...scored, scores: scored.scores.map((score, i) => score * (i % 2 === 0 ? 0.8 : 1)) };
    const { overall } = pairedBootstrap(scored, noisy, options);
    const random = new NumpyRandom(fixture.seed);
    const rows = fixture.targets.length / fixture.classes;
    const deltas = Array.from({ length: fixture.replicates }, () => {
      const drawn = Array.from(random.choice(rows, rows)).flatMap((row) =>
        classNames.map((_, j) => row * classNames.length + j),
      );
      const pick = (values: ArrayLike<number>) => Float64Array.from(drawn, (i) => values[i]!);
      const mAP = (model: typeof scored) =>
        measure({ scores: pick(model.scores), targets: pick(model.targets), classNames }).mAP!;
      return mAP(noisy) - mAP(scored);
    });
    const ascending = Float64Array.from(deltas).sort();
    expect(overall.mAP!.low).toBeCloseTo(quantile(ascending, 0.025), 12);
    expect(overall.mAP!.high).toBeCloseTo(quantile(ascending, 0.975), 12);
    const worse = deltas.filter((delta) => delta <= 0).length;
    expect(overall.mAP!.pValue).toBeCloseTo((2 * Math.min(worse, deltas.length - worse)) / deltas.length, 12);
  });
  test('measures each model with its own thresholds', () => {
    const { overall } = pairedBootstrap(scored, scored, {
      ...options,
      firstThreshold: 0.3,
      secondThreshold: 0.6,
    });
    expect(overall.macroF1!.first).toBe(measure(scored, { threshold: 0.3 }).macroF1);
    expect(overall.macroF1!.second).toBe(measure(scored, { threshold: 0.6 }).macroF1);
  });
});

describe('bad arguments are named', () => {
  const flipped = { ...scored, targets: scored.targets.map((y, i) => (i === 4 ? 1 - y : y)) };
  test.each([
    ['replicates', () => bootstrap(scored, { replicates: 1 }), 'replicates is 1'],
    ['confidence', () => bootstrap(scored, { confidence: 1 }), 'confidence is 1'],
    ['seed', () => bootstrap(scored, { seed: -1 }), 'seed is -1'],
    [
      'other classes',
      () => pairedBootstrap(scored, { ...scored, classNames: ['x', 'y', 'z'] }),
      'the second x, y, z',
    ],
    ['other rows', () => pairedBootstrap(scored, flipped), 'targets of row 1 differ'],
    ['other length', () => pairedBootstrap(scored, { ...scored, targets: [] }), 'the second 0'],
  ])('%s', (_, call, message) => {
    expect(call).toThrow(RangeError);
    expect(call).toThrow(message);
  });
});
