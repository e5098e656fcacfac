import { type DecisionBudget, fitDecision } from '@anyclass/core';
import { expect, test } from 'vitest';
import { neverText, promiseText } from './decisionText.js';

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

test('an approximate limit says what it rests on, and which other limits there are', () => {
  const told = (budget: DecisionBudget, groups?: readonly string[]) => {
    const choice = { budget, candidates: 'adaptive' } as const;
    const { rule, beta, report } = fitDecision({ ...validation, groups }, choice);
    return promiseText({ rule, beta, ...choice }, report.guarantee);
  };
  const pairs = Array.from({ length: rows }, (_, i) => `patient ${i >> 1}`);
  expect(told(budget)).toContain(
    ', resting on 150 negatives. The decision in each run folder is that of its configuration',
  );
  expect(told({ ...budget, missed: 0.1 })).toContain(
    'at 5% false alarms and at most 10% of positives cleared; on new data',
  );
  expect(told(budget, pairs)).toContain('resting on 100 groups with a negative, each of which counts once');
  expect(told({ ...budget, per: 'group' }, pairs)).toMatch(
    /false alarms, of whole groups, kept .* too few groups with negatives only to guarantee less than 5\.9%/,
  );
  expect(told({ falseAlarms: 0.1, per: 'group' }, pairs)).toContain(
    'resting on 50 groups with negatives only',
  );
});

test('classes that are never predicted are named, with the losses that cannot if others can', () => {
  const bce = { label: 'bce', neverPredicted: ['Hernia', 'Edema'] };
  expect(neverText([bce, { label: 'any-bce', neverPredicted: ['Edema'] }])).toBe(
    ' Never predicted, with no positive to fit on or none above the gate: Hernia (bce), Edema.',
  );
  expect(neverText([{ label: 'bce', neverPredicted: [] }])).toBe('');
});
