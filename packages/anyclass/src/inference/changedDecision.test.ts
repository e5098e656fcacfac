import { type Decision, type FitDecisionOptions, fitDecision } from '@anyclass/core';
import { describe, expect, test } from 'vitest';
import { changedDecision } from './changedDecision.js';

const validation = {
  scores: new Float64Array([0.9, 0.2, 0.7, 0.1]),
  targets: [1, 0, 1, 0],
  classNames: ['crack'],
  groups: ['a', 'b', 'c', 'd'],
  split: 'validation',
};
const own = (options: FitDecisionOptions): Decision => fitDecision(validation, options);

describe('what is not given stays as in the decision before', () => {
  const strict = own({
    budget: { falseAlarms: 0.02, missed: 0.1, per: 'group', confidence: 0.9 },
    beta: 2,
    kappa: 30,
  });
  test.each([
    [{ budget: { falseAlarms: 0.01 } }, { falseAlarms: 0.01, missed: 0.1, per: 'group', confidence: 0.9 }],
    [{ budget: { missed: 0.2 } }, { falseAlarms: 0.02, missed: 0.2, per: 'group', confidence: 0.9 }],
    [{ budget: { per: 'image' } }, { falseAlarms: 0.02, missed: 0.1, per: 'image', confidence: 0.9 }],
    [{ budget: { confidence: null } }, { falseAlarms: 0.02, missed: 0.1, per: 'group', confidence: null }],
    [{ budget: { missed: undefined } }, { falseAlarms: 0.02, per: 'group', confidence: 0.9 }],
    [{ rule: 'shared' }, { falseAlarms: 0.02, per: 'group', confidence: 0.9 }],
    [{ candidates: 8 }, { falseAlarms: 0.02, missed: 0.1, per: 'group', confidence: 0.9 }],
    [{ budget: { f1Neg: 0.9 } }, { f1Neg: 0.9 }],
  ] as const)('%j', (change, budget) => {
    const changed = changedDecision(strict, change);
    expect(changed.budget).toEqual(budget);
    expect([changed.beta, changed.kappa]).toEqual([2, 'rule' in change ? undefined : 30]);
    expect(() => fitDecision(validation, changed)).not.toThrow();
  });
});

test('a budget takes a rule that keeps it', () => {
  const rules = (['gate', 'shared', 'class', 'fixed'] as const).map((rule) => own({ rule }));
  expect(rules.map((each) => changedDecision(each, { budget: { falseAlarms: 0.1 } }).rule)).toEqual([
    'gate',
    'shared',
    'gate',
    'gate',
  ]);
  expect(changedDecision(own({ rule: 'shared' }), { budget: { missed: 0.1 } }).rule).toBe('gate');
  expect(changedDecision(undefined, {})).toEqual({ rule: 'gate', budget: { falseAlarms: 0.05 } });
});
