import { fitDecision } from '@anyclass/core';
import { expect, test } from 'vitest';
import { promiseText } from './decisionText.js';

const rows = 200;
const labels = Float64Array.from({ length: rows }, (_, i) => Number(i % 4 === 0));
const scores = Float64Array.from({ length: rows }, (_, i) => (i % 4 === 0 ? 0.6 : 0.3) + i / 1000);
const budget = { falseAlarms: 0.05 };

test('a promise of compared runs says that it does not hold for the best of them', () => {
  const { rule, beta, report } = fitDecision(
    { classNames: ['crack'], scores, targets: labels, split: 'validation' },
    { budget },
  );
  expect(report.guarantee.holds).toBe(true);
  const text = promiseText({ rule, budget, beta }, report.guarantee);
  expect(text).toContain('with 95% confidence');
  expect(text).toMatch(/each run by itself.* approximate until its decision is refitted/);
});
