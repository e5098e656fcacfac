import fc from 'fast-check';
import { expect, test } from 'vitest';
import { plainMetrics, plainRows, plainThresholds } from '../../test/plainDecision.js';
import { labelOrUnknown, type ScoredRows, scoredRows } from '../../test/scoredRows.js';
import { NumpyRandom } from '../random/numpyRandom.js';
import { prepareDecisionRows, sampleOf } from './decisionRows.js';
import { type FitDecisionOptions, fitDecision, ruleFitOf } from './fitDecision.js';
import { fitRule } from './fitRule.js';

/** Rows from a reasonable model with two-digit scores; there are more rows than coarse gates. */
function manyRows(rows: number, classes: number, seed = 11): ScoredRows {
  const random = new NumpyRandom(seed);
  const targets: number[] = [];
  const scores = Float64Array.from({ length: rows * classes }, () => {
    const isPresent = random.random() < 0.2;
    targets.push(Number(isPresent));
    return Math.round(100 * random.random() ** (isPresent ? 0.7 : 2)) / 100;
  });
  return { scores, targets, classNames: Array.from({ length: classes }, (_, j) => `class ${j}`) };
}

test.each([
  [7, 'above'],
  [1, 'at'],
  [2, 'below'],
] as const)(
  'the search tries 256 evenly spaced ranks, then every score between the neighbors of the best (%d: it is %s)',
  (seed, where) => {
    const scored = manyRows(700, 2, seed);
    const rows = plainRows(scored);
    const metricsAt = (presence: number) =>
      plainMetrics(rows, presence, plainThresholds(rows, presence, 1), 1);
    const negatives = rows.filter(({ kind }) => kind === 'negative').length;
    const bestOf = (presences: readonly number[]) =>
      presences
        .map(metricsAt)
        .filter(({ falseAlarms }) => falseAlarms / negatives <= 0.1)
        .reduce((best, each) => (each.macroFBeta > best.macroFBeta + 1e-12 ? each : best));
    const ascending = rows.map(({ presence }) => presence).sort((a, b) => a - b);
    const ranks = Array.from({ length: 256 }, (_, i) => ascending[Math.floor((i * 700) / 256)]!);
    const coarse = [...new Set([0, ...ranks, Number.POSITIVE_INFINITY])].sort((a, b) => b - a);
    const place = coarse.indexOf(bestOf(coarse).presence);
    const [upper, lower] = [coarse[place - 1]!, coarse[place + 1]!];
    const fine = [...new Set(ascending)].filter((each) => each < upper && each > lower).reverse();
    const expected = bestOf(fine);
    const moved = Math.sign(expected.presence - coarse[place]!);
    expect(moved).toBe({ above: 1, at: 0, below: -1 }[where]);
    const budget = { falseAlarms: 0.1, confidence: null };
    const { presence, thresholds, report } = fitDecision(
      { ...scored, split: 'validation' },
      { budget, kappa: 0 },
    );
    expect(presence).toBe(expected.presence);
    expect(thresholds).toEqual(expected.thresholds);
    expect(report.macroFBeta).toBeCloseTo(expected.macroFBeta, 12);
  },
);

test('a shrunk threshold lies between its own and the shared one, weighted by κ and the number of positives', () => {
  const scored = manyRows(700, 3);
  const fit = (kappa: number) => fitDecision({ ...scored, split: 'validation' }, { rule: 'class', kappa });
  const logit = (p: number | null | undefined) => Math.log(p! / (1 - p!));
  const [own, shrunk, farther] = [0, 10, 30].map((kappa) => fit(kappa).thresholds);
  const positives = scored.classNames.map(
    (_, j) => scored.targets.filter((target, i) => i % 3 === j && target === 1).length,
  );
  const target = (moved: readonly (number | null)[], kappa: number) =>
    positives.map((n, j) => {
      const weight = kappa / (n + kappa);
      return (logit(moved[j]) - (1 - weight) * logit(own![j])) / weight;
    });
  // Both imply the same shared threshold for all classes.
  const targets = [...target(shrunk!, 10), ...target(farther!, 30)];
  for (const each of targets) expect(each).toBeCloseTo(targets[0]!, 9);
  expect(scored.scores).toContain(Number((1 / (1 + Math.exp(-targets[0]!))).toFixed(2)));
});

test('as κ grows without bound, every class gets the shared threshold', () => {
  const scored = { ...manyRows(700, 3), split: 'validation' };
  const [first, ...others] = fitDecision(scored, { rule: 'class', kappa: 1e15 }).thresholds;
  for (const other of others) expect(other).toBeCloseTo(first!, 9);
});

const multiplicity = fc.constantFrom(0, 0, 1, 1, 2, 3);
const options: fc.Arbitrary<FitDecisionOptions> = fc.oneof(
  fc.record({
    rule: fc.constantFrom('gate', 'class'),
    kappa: fc.constantFrom(0, 10),
    budget: fc.constantFrom(
      { falseAlarms: 0.2, confidence: null },
      { falseAlarms: 0.4, confidence: 0.8 },
      { f1Neg: 'at 0.5' as const },
    ),
  }),
  fc.record({
    rule: fc.constant('shared' as const),
    budget: fc.constantFrom({ falseAlarms: 0.2, confidence: null }, { falseAlarms: 0.4, confidence: 0.8 }),
  }),
);

test('a row with a multiplicity counts like that many copies of it', () => {
  const weighted = scoredRows(labelOrUnknown).chain((rows) => {
    const count = rows.scores.length / rows.classNames.length;
    const times = fc.array(multiplicity, { minLength: count, maxLength: count });
    return fc.record({ rows: fc.constant(rows), times });
  });
  fc.assert(
    fc.property(weighted, options, ({ rows, times }, fitOptions) => {
      const places = times.flatMap((count, row) =>
        Array.from({ length: count }).flatMap(() =>
          rows.classNames.map((_, j) => row * rows.classNames.length + j),
        ),
      );
      const copied: ScoredRows = {
        scores: Float64Array.from(places, (i) => rows.scores[i]!),
        targets: places.map((i) => rows.targets[i]!),
        classNames: rows.classNames,
      };
      const kinds = plainRows(copied).map(({ kind }) => kind);
      fc.pre(kinds.includes('positive') && kinds.includes('negative'));
      const prepared = prepareDecisionRows(rows);
      const fitted = fitRule(sampleOf(prepared, Uint16Array.from(times)), ruleFitOf(prepared, fitOptions));
      const expected = fitDecision({ ...copied, split: 'validation' }, fitOptions);
      expect(fitted.presence).toBe(expected.presence);
      expect(fitted.thresholds).toEqual(expected.thresholds);
    }),
    { numRuns: 300 },
  );
});
