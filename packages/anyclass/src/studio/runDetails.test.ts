import { fitDecision } from '@anyclass/core';
import { expect, test } from 'vitest';
import { promiseSentences } from './runDetails.js';

test('a promise about positives alone is told, and none at all is, too', () => {
  const scores = Float64Array.from({ length: 80 }, (_, row) => row / 80);
  const targets = Array.from(scores, (_, row) => Number(row >= 10));
  const rows = { scores, targets, classNames: ['crack'], split: 'validation' };
  const { report } = fitDecision(rows, { budget: { falseAlarms: 0.05, missed: 0.05 } });
  expect(promiseSentences(report)).toEqual([
    expect.stringMatching(/^At most 5% of positives are cleared.*of 70 positives\)\.$/),
  ]);
  expect(promiseSentences({ ...report, triage: null })).toEqual(['Nothing is promised: too few negatives.']);
});
