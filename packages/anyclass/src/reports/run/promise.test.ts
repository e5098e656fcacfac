import { type Candidates, type DecisionBudget, fitDecision, NumpyRandom, type Scored } from '@anyclass/core';
import { expect, test } from 'vitest';
import { judge } from '../../evaluation/judge.js';
import { decisionInUse, type JudgedMaterial } from './material.js';
import { promisePanel } from './promise.js';
import { verdictBlock } from './verdict.js';

const rows = 400;

/** Scores of one class, in logits `strength` higher where it is present; with `rowsPerGroup`, several rows share a group. */
function scoredRows(seed: number, rowsPerGroup?: number, strength = 2): Scored {
  const random = new NumpyRandom(seed);
  const uniform = () => random.integer(1 << 24) / (1 << 24);
  const targets = Float32Array.from({ length: rows }, () => (uniform() < 0.4 ? 1 : 0));
  const scores = Float64Array.from(
    targets,
    (y) => 1 / (1 + Math.exp(2 - strength * y - 3 * (uniform() - 0.5))),
  );
  const groups =
    rowsPerGroup && Int32Array.from({ length: rows }, (_, row) => Math.floor(row / rowsPerGroup));
  return { scores, targets, classNames: ['crack'], ...(groups && { groups }) };
}

function pageParts(
  budget: DecisionBudget,
  rowsPerGroup?: number,
  strength?: number,
  fitted?: number,
  candidates: Candidates = 1,
) {
  const decision = fitDecision(
    { ...scoredRows(1, rowsPerGroup, fitted), split: 'validation' },
    { budget, candidates },
  );
  const scored = scoredRows(2, rowsPerGroup, strength);
  const judged = judge({ ...scored, split: 'test' }, { replicates: 20, decision });
  const names = Array.from({ length: rows }, (_, row) => `${row}.png`);
  const material: JudgedMaterial = { judged, scored, names, instance: 'image' };
  const inUse = decisionInUse(material);
  return { panel: promisePanel(material, inUse), verdict: verdictBlock(material, inUse), inUse };
}

test('with triage both promises are stated, each with what was seen, and every positive is accounted for', () => {
  const { panel, verdict, inUse } = pageParts({ falseAlarms: 0.1, missed: 0.05 });
  expect(panel).toContain('At most 10% of negatives raise an alarm; at most 5% of positives are cleared.');
  expect(panel).toContain('95% each');
  const { clear, review, alarm } = inUse.outcomes.work;
  const positives = inUse.metrics.positiveRows;
  expect(panel).toMatch(
    new RegExp(`<dt>Cleared</dt>.*, ${clear.positive} of ${positives} positives of test`),
  );
  expect(verdict).toContain(`Finds ${alarm.positive} of ${positives}`);
  const rest = positives - alarm.positive;
  expect(verdict).toContain(
    `Of the other ${rest}, ${review!.positive} go to review and ${clear.positive} are missed.`,
  );
});

test('triage that keeps its promises but leaves most to a person says how little it finds and clears', () => {
  const { verdict, inUse } = pageParts({ falseAlarms: 0.1, missed: 0.1 }, undefined, 1.1, 1);
  const { clear, review, alarm } = inUse.outcomes.work;
  const share = (kind: 'positive' | 'negative', part: { positive: number; negative: number }) =>
    Math.round((100 * part[kind]) / (clear[kind] + review![kind] + alarm[kind]));
  expect(verdict).toContain('✓ Keeps both promises');
  expect(verdict).toContain(`! Finds only ${share('positive', alarm)}% of positives`);
  expect(verdict).toContain(`! Clears only ${share('negative', clear)}% of negatives`);
  expect(pageParts({ falseAlarms: 0.1, missed: 0.1 }).verdict).not.toMatch(/(Finds|Clears) (only|no)/);
});

test('a promise that rests on groups is about a random group, and bounds no number of images', () => {
  const { panel } = pageParts({ falseAlarms: 0.1 }, 2);
  expect(panel).toContain('A random negative of a random group raises an alarm at most 10% of the time.');
  expect(panel).not.toContain('At most 10% of negatives');
  expect(panel).toContain('a promise on groups does not bound them');
  expect(panel).toContain('counting each group equally');
});

test('one broken promise of two is told', () => {
  const budget = { falseAlarms: 0.1, missed: 0.05 };
  expect(pageParts(budget).verdict).toContain('✓ Keeps both promises');
  // Positives that are harder to see are cleared more often than promised; negatives are as before.
  expect(pageParts(budget, undefined, 0.5).verdict).toContain('! Breaks a promise here');
});

test('positives are promised where negatives are too few, and the promise is judged', () => {
  const budget = { falseAlarms: 0.01, missed: 0.2 };
  const { panel, verdict } = pageParts(budget);
  expect(panel).toContain(
    'At most 20% of positives are cleared. Nothing is promised about false alarms: validation has too few negatives.',
  );
  expect(panel).toContain('holds for data like validation');
  expect(panel).toMatch(/<dt>Cleared<\/dt>.*rests on \d+ of \d+ of validation/);
  expect(verdict).not.toContain('Nothing is promised');
  expect(pageParts(budget, undefined, 3).verdict).toContain('✓ Keeps its promise');
  expect(pageParts(budget, undefined, 0.2).verdict).toContain('! Breaks its promise here');
});

test('limits for whole groups rest on groups without positives, and ask for more of those', () => {
  const kept = pageParts({ falseAlarms: 0.3, per: 'group' }, 2).panel;
  expect(kept).toMatch(/<dt>Rests on<\/dt>.*of \d+ validation groups without positives above the gate/);
  const few = pageParts({ falseAlarms: 0.01, per: 'group' }, 2).panel;
  expect(few).toMatch(/<dt>To get one<\/dt>.*label \d+ more groups with negatives only for validation/);
  expect(few).toContain('Nothing is promised: validation has too few groups with negatives only.');
});

test('a limit for whole groups that is not promised is judged by groups, too', () => {
  const budget = { falseAlarms: 0.01, missed: 0.01, per: 'group' } as const;
  const { panel, inUse } = pageParts(budget, 2);
  const share = (rate: number | null | undefined) => `${(100 * rate!).toFixed(1)}%`;
  expect(panel).toContain(`<b class="num">${share(inUse.metrics.groupsAlarmed)}</b>`);
  expect(panel).toContain(`<b class="num">${share(inUse.metrics.groupsMissed)}</b>`);
  expect(panel.match(/ of groups, \d+ of \d+/g)).toHaveLength(2);
  expect(panel).toContain('the limit counts whole groups');
  expect(pageParts({ falseAlarms: 0.3, per: 'group' }, 2, 2, 2, 'adaptive').panel).toContain(
    'Approximate: about 30% of groups without positives get an alarm.',
  );
  const single = pageParts({ falseAlarms: 0.1 }, 2, 2, 2, 'adaptive').panel;
  expect(single).toContain(
    'Approximate: about 10% of negatives raise an alarm, counting each group equally.',
  );
  expect(single).toMatch(/<dt>Seen on test<\/dt>.*counting each group equally/);
});
