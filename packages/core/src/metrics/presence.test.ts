import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { plainRows } from '../../test/plainDecision.js';
import { labelOrUnknown, scoredRows } from '../../test/scoredRows.js';
import { sigmoid, softplus } from '../losses/logisticTerms.js';
import { presenceProbability, presenceScores } from './presence.js';
import { presenceAuc } from './presenceAuc.js';

test('the examples in the documentation hold', () => {
  expect([...presenceScores(new Float64Array([0.5, 0.5, 0, 0.1]), 2)]).toEqual([
    1.3862943611198906, 0.10536051565782631,
  ]);
  expect(presenceProbability(2 * Math.LN2)).toBeCloseTo(0.75, 15);
  const scores = new Float64Array([0.9, 0.2, 0.5, 0.5, 0.1, 0.1]);
  expect(presenceAuc({ scores, targets: [1, 0, 0, 0, 0, 1], classNames: ['crack', 'roots'] })).toBe(0.5);
});

test('the presence score is the sum of the softplus of the logits', () => {
  const logits = fc.array(fc.double({ min: -30, max: 15, noNaN: true }), { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(logits, (z) => {
      const expected = z.reduce((sum, logit) => sum + softplus(logit), 0);
      const [found] = presenceScores(Float64Array.from(z, sigmoid), z.length);
      // 1 - p has lost everything beyond 16 digits.
      expect(Math.abs(found! - expected)).toBeLessThanOrEqual(1e-9 * expected + 1e-15);
    }),
  );
});

test('scores still differ when presence probabilities are all 1', () => {
  const [low, high] = presenceScores(
    Float64Array.from([...Array(4).fill(1 - 1e-5), ...Array(4).fill(1 - 1e-6)]),
    4,
  );
  expect(presenceProbability(low!)).toBe(1);
  expect(presenceProbability(high!)).toBe(1);
  expect(high).toBeGreaterThan(low!);
});

test('a probability of 1 gives Infinity, probabilities of 0 give 0', () => {
  expect([...presenceScores(new Float32Array([0, 1, 0, 0]), 2)]).toEqual([Number.POSITIVE_INFINITY, 0]);
});

test.each([-0.1, 1.1, Number.NaN])('%d is refused with its place', (score) => {
  expect(() => presenceScores(new Float64Array([0, 0, 0, score]), 2)).toThrow('row 1, class 1');
});

describe('presence AUC', () => {
  test('is the share of correctly ordered pairs of a positive and a negative, without undecided rows', () => {
    fc.assert(
      fc.property(scoredRows(labelOrUnknown), (rows) => {
        const plain = plainRows(rows);
        const of = (kind: string) => plain.filter((row) => row.kind === kind).map((row) => row.presence);
        const pairs = of('positive').flatMap((p) =>
          of('negative').map((n) => (p > n ? 1 : p === n ? 0.5 : 0)),
        );
        const found = presenceAuc(rows);
        if (pairs.length === 0) expect(found).toBeNull();
        else expect(found).toBeCloseTo(pairs.reduce<number>((sum, pair) => sum + pair, 0) / pairs.length, 12);
      }),
    );
  });
});
