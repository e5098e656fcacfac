import { fitDecision } from '@anyclass/core';
import { expect, test } from 'vitest';
import { promiseText } from './decisionText.js';

const rows = 200;
const labels = Float64Array.from({ length: rows }, (_, i) => Number(i % 4 === 0));
const scores = Float64Array.from({ length: rows }, (_, i) => (i % 4 === 0 ? 0.6 : 0.3) + i / 1000);
const budget = { falseAlarms: 0.05 };

const validation = { classNames: ['crack'], scores, targets: labels, split: 'validation' };

test('compared runs have an approximate promise, and a single one says what it counts', () => {
  const told = (candidates: number | 'adaptive') => {
    const { rule, beta, report } = fitDecision(validation, { budget, candidates });
    return promiseText({ rule, budget, beta, candidates }, report.guarantee);
  };
  expect(told('adaptive')).toMatch(/approximate for a run that is chosen by these results/);
  expect(told('adaptive')).not.toContain('confidence');
  expect(told(8)).toMatch(
    /on new data, at most 5% of negatives alarm, with 95% confidence .*8 candidates were compared on these rows\)$/,
  );
});

test('a promise about groups names them', () => {
  const groups = Array.from({ length: rows }, (_, i) => `patient ${i}`);
  const perGroup = { ...budget, per: 'group' } as const;
  const { rule, beta, report } = fitDecision({ ...validation, groups }, { budget: perGroup });
  expect(promiseText({ rule, budget: perGroup, beta }, report.guarantee)).toMatch(
    /at most 5% of groups without positives get an alarm, with 95% confidence/,
  );
});
