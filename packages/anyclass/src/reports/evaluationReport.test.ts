import { applyDecision, fitDecision, type Scored } from '@anyclass/core';
import { expect, test } from 'vitest';
import { judge } from '../evaluation/judge.js';
import { evaluationPage } from './evaluationReport.js';

const classes = 3;

/** Rows of which a third is positive, with scores that tell them apart most of the time. */
function scoredRows(rows: number, seed: number): Scored {
  let state = seed;
  const random = () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
  const targets = new Uint8Array(rows * classes);
  const scores = new Float64Array(rows * classes);
  for (let row = 0; row < rows; row++) {
    if (row % 3 === 0) targets[row * classes + (row % 9) / 3] = 1;
    for (let j = 0; j < classes; j++) {
      const shift = targets[row * classes + j] === 1 ? 0.35 : 0;
      scores[row * classes + j] = Math.min(0.99, shift + 0.6 * random());
    }
  }
  return { scores, targets, classNames: ['crack', 'fray', 'hole'], split: `rows ${seed}` };
}

test('with triage, the counts of all panels are of the same images', () => {
  const [fitted, scored] = [scoredRows(900, 1), scoredRows(600, 2)];
  const budget = { falseAlarms: 0.1, missed: 0.1, confidence: 0.95 };
  const decision = fitDecision(fitted, { rule: 'gate', budget });
  const html = evaluationPage('triage', judge(scored, { decision, replicates: 0 }), { scored, fitted });
  const { outcomes } = applyDecision(scored.scores, decision);
  const count = (outcome: string, isPositive: boolean) =>
    outcomes.filter((each, row) => each === outcome && (row % 3 === 0) === isPositive).length;
  const [quiet, reviewed, alarms] = ['clear', 'review', 'alarm'].map((each) => count(each, false));
  expect(Math.min(quiet!, reviewed!, alarms!, count('review', true))).toBeGreaterThan(0);
  expect(html).toContain(`aria-label="${quiet} quiet, ${reviewed} to review, ${alarms} false alarms"`);
  expect(html).toContain(`Finds ${count('alarm', true)} of 200 positive images`);
  const found = (count('alarm', true) / 2).toFixed(1);
  expect(html).toContain(`chosen: 10%, ${found}% of positives found`);
});

test('rows of features are never called images', () => {
  const [fitted, scored] = [scoredRows(900, 1), scoredRows(600, 2)];
  const decision = fitDecision(fitted, { rule: 'gate', budget: { falseAlarms: 0.1, confidence: 0.95 } });
  const html = evaluationPage('rows', judge(scored, { decision, replicates: 20 }), {
    scored,
    fitted,
    instance: 'row',
  });
  const said = html.replace(/<style>[\s\S]*?<\/style>|<script>[\s\S]*?<\/script>/g, '');
  expect(said).toContain('Of 1,000 rows');
  expect(said).toContain('At 10,000 rows a day');
  expect(said).not.toMatch(/\bimages?\b/);
});

test('links within the page lead somewhere', () => {
  const scored = scoredRows(300, 3);
  const html = evaluationPage('scores', judge(scored, { replicates: 0 }), { scored });
  const places = [...html.matchAll(/href="#([^"]+)"/g)].map(([, place]) => place!);
  expect(places.length).toBeGreaterThan(1);
  for (const place of places) expect(html).toContain(`id="${place}"`);
});
