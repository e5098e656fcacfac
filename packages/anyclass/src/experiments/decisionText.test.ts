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
  expect(told(8)).toMatch(/with 95% confidence, .*chose among 8 candidates$/);
});
