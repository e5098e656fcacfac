import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { groupedSet } from '../../../../bench/core/groupedSets.js';
import { plainRows } from '../../test/plainDecision.js';
import { labelOrUnknown, scoredRows } from '../../test/scoredRows.js';
import { NumpyRandom } from '../random/numpyRandom.js';
import { budgetForCosts } from './budgetForCosts.js';

const quick = { replicates: 20 };

test('no gate is cheaper', () => {
  const costs = fc.record({
    miss: fc.constantFrom(0.5, 1, 3, 20),
    alarm: fc.constant(1),
    prevalence: fc.constantFrom(0.1, 0.5),
  });
  fc.assert(
    fc.property(scoredRows(labelOrUnknown), costs, (scored, given) => {
      const rows = plainRows(scored);
      const of = (kind: string) => rows.filter((row) => row.kind === kind);
      fc.pre(of('positive').length > 0 && of('negative').length > 0);
      const { cost, falseAlarms, missed } = budgetForCosts(scored, given, quick);
      const share = (kind: string, least: number) =>
        of(kind).filter(({ presence }) => presence >= least).length / of(kind).length;
      const costAt = (m: number, x: number) => given.prevalence * given.miss * m + (1 - given.prevalence) * x;
      const plain = rows.map(({ presence }) =>
        costAt(1 - share('positive', presence), share('negative', presence)),
      );
      expect(cost).toBeCloseTo(Math.min(costAt(1, 0), ...plain), 12);
      expect(cost).toBeCloseTo(costAt(missed, falseAlarms), 12);
    }),
  );
});

describe('on a simulated set', () => {
  const set = groupedSet(new NumpyRandom(6), { groups: 400, largest: 3, correlation: 0.5, positives: 300 });
  test('the dearer a miss, the larger the budget, and its interval holds it', () => {
    const budgets = [0.2, 1, 5, 50].map((miss) =>
      budgetForCosts(set, { miss, alarm: 1 }, { replicates: 200 }),
    );
    const rates = budgets.map(({ falseAlarms }) => falseAlarms);
    expect(rates).toEqual([...rates].sort((a, b) => a - b));
    expect(rates[3]).toBeGreaterThan(rates[0]! + 0.2);
    for (const { falseAlarms, low, high } of budgets) {
      expect(low).toBeLessThanOrEqual(falseAlarms);
      expect(high).toBeGreaterThanOrEqual(falseAlarms);
    }
  });
  test('rarer positives allow fewer alarms', () => {
    const at = (prevalence: number) =>
      budgetForCosts(set, { miss: 5, alarm: 1, prevalence }, quick).falseAlarms;
    expect(at(0.02)).toBeLessThan(at(0.4));
  });
  test('the cost is at most that of never or always alarming', () => {
    const { cost, costOfSilence, costOfAlarms } = budgetForCosts(set, { miss: 5, alarm: 1 }, quick);
    expect(cost).toBeLessThan(Math.min(costOfSilence, costOfAlarms));
  });
  test.each<[() => unknown, string]>([
    [() => budgetForCosts(set, { miss: -1, alarm: 1 }), 'costs.miss is -1'],
    [() => budgetForCosts(set, { miss: 1, alarm: 0 }), 'costs.alarm is 0'],
    [() => budgetForCosts(set, { miss: 1, alarm: 1, prevalence: 1 }), 'costs.prevalence is 1'],
    [
      () => budgetForCosts({ ...set, targets: Array.from(set.targets, () => 1) }, { miss: 1, alarm: 1 }),
      '0 negative rows; costs need both',
    ],
  ])('bad arguments are named', (call, message) => {
    expect(call).toThrow(message);
  });
});
