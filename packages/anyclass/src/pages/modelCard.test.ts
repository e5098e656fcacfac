import { fitDecision } from '@anyclass/core';
import { expect, test } from 'vitest';
import { modelFacts } from './modelCard.js';

/** Rows of two classes, the second of which has no positive. */
function decisionOn(negatives: number) {
  const rows = negatives + 40;
  return fitDecision(
    {
      scores: Float64Array.from({ length: 2 * rows }, (_, i) =>
        i % 2 === 1 ? 0.1 : (i < 80 ? 0.6 : 0.3) + i / 10_000,
      ),
      targets: Array.from({ length: 2 * rows }, (_, i) => Number(i < 80 && i % 2 === 0)),
      classNames: ['crack', 'roots'],
      split: 'validation',
    },
    { budget: { falseAlarms: 0.05, missed: 0.2 } },
  );
}
const shown = (negatives: number) =>
  modelFacts({
    classes: ['crack', 'roots'],
    decision: decisionOn(negatives),
    input: { channels: 3, width: 64, height: 64 },
    network: 'resnet-18',
    training: { dataset: 'pipes', loss: 'bce', epoch: 3 },
    version: '1a2b',
  });

test('a model says what it promises and limits, and which classes it never predicts', () => {
  const page = shown(200);
  expect(page).toMatch(
    /<dt>Promised<\/dt>.*at most 5% of negatives alarm.*at most 20% of positives are cleared/,
  );
  expect(page).toMatch(/<dt>Limits<\/dt>.*at most 5% false alarms and at most 20% missed/);
  expect(page).toMatch(/<dt>Note<\/dt>.*Never predicted, since there are no positives to fit on: roots/);
  expect(page).not.toContain('<dt>False alarms</dt>');
});

test('where a limit is not promised, it says why', () => {
  expect(shown(50)).toMatch(/<dt>Note<\/dt>.*50 negatives are too few.*It takes 59: label 9 more/);
});
