import fc from 'fast-check';
import { expect, test } from 'vitest';
import { groupedSet } from '../../../../bench/core/groupedSets.js';
import { plainRows } from '../../test/plainDecision.js';
import { labelOrUnknown, scoredRows } from '../../test/scoredRows.js';
import { measure } from '../metrics/measure.js';
import type { Scored } from '../metrics/scored.js';
import { NumpyRandom } from '../random/numpyRandom.js';
import { applyDecision } from './applyDecision.js';
import { crossFit } from './crossFit.js';
import { fitDecision } from './fitDecision.js';
import { countOutcomes } from './workload.js';

const budget = { falseAlarms: 0.3, confidence: null };

function taken({ scores, targets, classNames }: Scored, keep: (row: number) => boolean): Scored {
  const places = Array.from(scores.keys()).filter((i) => keep(Math.floor(i / classNames.length)));
  return {
    scores: Float64Array.from(places, (i) => scores[i]!),
    targets: places.map((i) => targets[i]!),
    classNames,
    split: 'validation',
  };
}

test('every row is decided by a decision fitted on the other folds', () => {
  fc.assert(
    fc.property(scoredRows(labelOrUnknown), (scored) => {
      const kinds = plainRows(scored).map(({ kind }) => kind);
      const folds = kinds.map((_, row) => row % 2);
      const canFit = (fold: number) =>
        (['positive', 'negative'] as const).every((kind) =>
          kinds.some((each, row) => each === kind && folds[row] !== fold),
        );
      fc.pre(kinds.length > 1 && canFit(0) && canFit(1));
      const decided = crossFit({ ...scored, split: 'validation' }, { folds, budget });
      for (const fold of [0, 1]) {
        const decision = fitDecision(
          taken(scored, (row) => folds[row] !== fold),
          { budget },
        );
        const { labels } = applyDecision(taken(scored, (row) => folds[row] === fold).scores, decision);
        expect([...taken(decided, (row) => folds[row] === fold).scores]).toEqual([...labels]);
      }
    }),
  );
});

test('its metrics match those on other data, while metrics on the data of the fit are too optimistic', () => {
  const random = new NumpyRandom(1);
  const noise = (rows: number, split: string): Scored => {
    const targets = Array.from({ length: 4 * rows }, () => Number(random.random() < 0.1));
    const scores = Float64Array.from(targets, () => random.random());
    return { scores, targets, classNames: ['crack', 'roots', 'deposit', 'dents'], split };
  };
  const folds = Array.from({ length: 100 }, (_, row) => row % 5);
  const loose = { budget: { falseAlarms: 0.3, confidence: null }, kappa: 0 } as const;
  const sums = { fitted: 0, crossFitted: 0, elsewhere: 0 };
  const repeats = 20;
  for (let repeat = 0; repeat < repeats; repeat++) {
    const validation = noise(100, 'validation');
    const threshold = fitDecision(validation, loose);
    sums.fitted += measure(validation, { threshold, allowSameSplit: true }).macroF1 / repeats;
    sums.crossFitted += measure(crossFit(validation, { ...loose, folds })).macroF1 / repeats;
    sums.elsewhere += measure(noise(2000, 'test'), { threshold }).macroF1 / repeats;
  }
  expect(sums.fitted - sums.elsewhere).toBeGreaterThan(0.1);
  expect(Math.abs(sums.crossFitted - sums.elsewhere)).toBeLessThan(0.03);
});

test('a fold whose complement cannot be fitted on is named', () => {
  const scored = {
    scores: new Float64Array([0.9, 0.1, 0.2]),
    targets: [1, 0, 0],
    classNames: ['crack'],
    split: 'validation',
  };
  expect(() => crossFit(scored, { folds: [3, 4, 4] })).toThrow('all but fold 3 has no positive row');
  expect(() => crossFit(scored, { folds: [1] })).toThrow('folds has 1 entries');
});

test('outcomes are given too, and folds without which nothing can be guaranteed are named', () => {
  const { groups: _, ...set } = groupedSet(new NumpyRandom(8), {
    groups: 100,
    largest: 1,
    correlation: 0,
    positives: 100,
  });
  const folds = Array.from({ length: 200 }, (_, row) => row % 2);
  const triage = { falseAlarms: 0.1, missed: 0.1 };
  const decided = crossFit(set, { folds, budget: triage });
  const counted = countOutcomes(decided);
  expect(counted.rows.clear + counted.rows.review + counted.rows.alarm).toBe(200);
  expect(counted.negatives.alarm).toBeLessThan(25);
  expect(counted.positives.clear).toBeLessThan(25);
  expect(decided.foldsWithoutGuarantee).toEqual([]);
  const fitted = fitDecision(
    taken(set, (row) => row % 2 === 0),
    { budget: triage },
  );
  expect(decided.outcomes.filter((_, row) => row % 2 === 1)).toEqual(
    applyDecision(taken(set, (row) => row % 2 === 1).scores, fitted).outcomes,
  );
  // Half of 100 negatives cannot guarantee 5%, which needs 59.
  expect(crossFit(set, { folds }).foldsWithoutGuarantee).toEqual([0, 1]);
});
