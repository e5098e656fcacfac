import { describe, expect, test } from 'vitest';
import { fitDecision } from '../decisions/fitDecision.js';
import { measure } from '../metrics/measure.js';
import { NumpyRandom } from '../random/numpyRandom.js';
import { decisionBootstrap } from './decisionBootstrap.js';
import { bootstrapDecisions } from './decisionReplicates.js';
import { quantile } from './quantile.js';
import { joinSeeds, seedDifference } from './seedBootstrap.js';

const classNames = ['crack', 'roots'];

/** The splits of a model; the higher its skill, the better its scores separate present from absent classes. */
function model(skill: number) {
  const split = (name: string, rows: number, seed: number) => {
    const labels = new NumpyRandom(seed);
    const noise = new NumpyRandom(seed + 100);
    const targets = Array.from({ length: 2 * rows }, () => Number(labels.random() < 0.15));
    const scores = Float64Array.from(targets, (label) => noise.random() ** (label === 1 ? 1 / skill : 2));
    return { scores, targets, classNames, split: name };
  };
  return { validation: split('validation', 200, 1), test: split('test', 150, 2) };
}
const [plain, better] = [model(1), model(3)];
const budget = { falseAlarms: 0.2, confidence: null };
const decided = (of: typeof plain) => ({ ...of, decision: { budget } });

test('the metrics come from decisions fitted on validation and measured on test', () => {
  const { models, differences } = decisionBootstrap([decided(plain), decided(better)], { replicates: 3 });
  const [first, second] = [plain, better].map(({ validation, test: elsewhere }) =>
    measure(elsewhere, { threshold: fitDecision(validation, { budget }) }),
  );
  for (const metric of ['macroF1', 'macroF2', 'f1Neg', 'falseAlarmRate'] as const) {
    expect(models[0]![metric]!.value).toBe(first![metric]);
    expect(differences[0]![metric]).toMatchObject({ first: first![metric], second: second![metric] });
    expect(differences[0]![metric]!.value).toBe(second![metric]! - first![metric]!);
  }
});

test('each replicate fits on redrawn validation rows and evaluates on redrawn test rows', () => {
  const replicates = 20;
  const { differences } = decisionBootstrap([decided(plain), decided(better)], { replicates, seed: 4 });
  const random = new NumpyRandom(4);
  const drawn = (rows: number) => {
    const order = Array.from(random.choice(rows, rows));
    return order.flatMap((row) => [2 * row, 2 * row + 1]);
  };
  const take = (scored: typeof plain.test, places: readonly number[]) => ({
    ...scored,
    scores: Float64Array.from(places, (i) => scored.scores[i]!),
    targets: places.map((i) => scored.targets[i]!),
  });
  const deltas = Array.from({ length: replicates }, () => {
    const [validationPlaces, testPlaces] = [drawn(200), drawn(150)];
    const [one, two] = [plain, better].map(
      ({ validation, test: elsewhere }) =>
        measure(take(elsewhere, testPlaces), {
          threshold: fitDecision(take(validation, validationPlaces), { budget }),
        }).macroF1,
    );
    return two! - one!;
  });
  const ascending = Float64Array.from(deltas).sort();
  expect(differences[0]!.macroF1!.low).toBeCloseTo(quantile(ascending, 0.025), 12);
  expect(differences[0]!.macroF1!.high).toBeCloseTo(quantile(ascending, 0.975), 12);
});

test('all models are compared with the first; a model does not differ from itself', () => {
  const { differences, models } = decisionBootstrap([plain, plain, better].map(decided), { replicates: 30 });
  expect(models).toHaveLength(3);
  expect(differences).toHaveLength(2);
  expect(differences[0]!.macroF1).toMatchObject({ value: 0, low: 0, high: 0, pValue: 1 });
  expect(differences[1]!.macroF1!.low).toBeGreaterThan(0);
});

test('the time limit stops it, but not before 100 replicates; the number of replicates is reported', () => {
  const models = [decided(plain), decided(better)];
  expect(decisionBootstrap(models, { seconds: 0 }).replicates).toBe(100);
  expect(decisionBootstrap(models, { seconds: 600, replicates: 120 }).replicates).toBe(120);
});

test('groups are drawn as a whole, which widens intervals if rows repeat each other', () => {
  const repeated = ({ validation, test: elsewhere }: typeof plain) => {
    const fourTimes = (scored: typeof plain.test) => ({
      ...scored,
      scores: Float64Array.from([1, 2, 3, 4].flatMap(() => [...scored.scores])),
      targets: [1, 2, 3, 4].flatMap(() => scored.targets),
    });
    return decided({ validation: fourTimes(validation), test: fourTimes(elsewhere) });
  };
  const models = [repeated(plain), repeated(better)];
  const grouped = models.map(({ validation, test: elsewhere, ...rest }) => ({
    ...rest,
    validation: { ...validation, groups: Array.from({ length: 800 }, (_, row) => row % 200) },
    test: { ...elsewhere, groups: Array.from({ length: 600 }, (_, row) => `patient ${row % 150}`) },
  }));
  const width = (compared: Parameters<typeof decisionBootstrap>[0]) => {
    const { low, high } = decisionBootstrap(compared, { replicates: 100 }).differences[0]!.macroF1!;
    return high - low;
  };
  expect(width(grouped)).toBeGreaterThan(1.5 * width(models));
});

describe('bad arguments are named', () => {
  const [first, second] = [decided(plain), decided(better)];
  const flipped = { ...plain.test, targets: plain.test.targets.map((y, i) => (i === 4 ? 1 - y : y)) };
  test.each<[string, () => unknown, string]>([
    ['one model', () => decisionBootstrap([first]), 'models has 1 entries'],
    ['other rows', () => decisionBootstrap([first, { ...second, test: flipped }]), 'targets of row 2 differ'],
    [
      'the split of the fit',
      () => decisionBootstrap([first, second].map((each) => ({ ...each, test: each.validation }))),
      "fitted on 'validation'",
    ],
    ['seconds', () => decisionBootstrap([first, second], { seconds: -1 }), 'seconds is -1'],
    ['replicates', () => decisionBootstrap([first, second], { replicates: 1 }), 'replicates is 1'],
    [
      'groups',
      () =>
        decisionBootstrap([first, second].map((each) => ({ ...each, test: { ...each.test, groups: [1] } }))),
      'groups has 1 entries',
    ],
    [
      'groups of one model only',
      () => decisionBootstrap([first, { ...second, test: { ...second.test, groups: [1] } }]),
      'one model has groups',
    ],
  ])('%s', (_, call, message) => {
    expect(call).toThrow(message);
  });
});

describe('several seeds per side', () => {
  const seeds = [1, 2, 3].map((skill) => decided(model(skill)));
  const drawn = bootstrapDecisions(seeds, { replicates: 20, seed: 3 });

  test("in every replicate, a side's metric is the mean over its seeds", () => {
    const joined = joinSeeds(drawn.slice(0, 2));
    joined.replicates.forEach(({ macroF1, falseAlarmRate }, i) => {
      const [one, two] = [drawn[0]!.replicates[i]!, drawn[1]!.replicates[i]!];
      expect(macroF1).toBeCloseTo((one.macroF1! + two.macroF1!) / 2, 12);
      expect(falseAlarmRate).toBeCloseTo((one.falseAlarmRate! + two.falseAlarmRate!) / 2, 12);
    });
  });

  test('with one seed per side, the difference matches the decision bootstrap', () => {
    const pair = decisionBootstrap([seeds[0]!, seeds[2]!], { replicates: 20, seed: 3 });
    const difference = seedDifference(drawn[0]!, drawn[2]!);
    expect(difference).toMatchObject(pair.differences[0]!);
    expect(difference.mAP).toBeNull();
  });

  test('F2-CIW is weighted by the importance of the classes', () => {
    const classImportance = [1, 0];
    const [weighted] = bootstrapDecisions([decided(plain)], { replicates: 2, classImportance });
    const { f2Ciw, perClassF2 } = measure(plain.test, {
      threshold: fitDecision(plain.validation, { budget }),
      classImportance,
    });
    expect(weighted!.value.f2Ciw).toBe(f2Ciw);
    expect(f2Ciw).toBe(perClassF2[0]);
    expect(() => bootstrapDecisions([decided(plain)], { classImportance: [1] })).toThrow('classImportance');
  });

  test('onReplicate is called for each replicate', () => {
    let told = 0;
    bootstrapDecisions([decided(plain)], { replicates: 7, onReplicate: () => void told++ });
    expect(told).toBe(7);
    expect(() => bootstrapDecisions([])).toThrow('models is empty');
  });
});
