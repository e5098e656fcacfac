import { fitDecision, NumpyRandom } from '@anyclass/core';
import { expect, test } from 'vitest';
import { decisionName } from './predictionLog.js';

/** Scores of one class; half of the rows are positive and score higher. */
function scored(rows: number) {
  const random = new NumpyRandom(1);
  const targets = Array.from({ length: rows }, (_, i) => i % 2);
  return {
    scores: Float64Array.from(targets, (present) => 0.5 * random.random() + 0.4 * present),
    targets,
    classNames: ['crack'],
    split: 'validation',
  };
}

test('a log says of a decision which shares it limits, and which of them it only kept on its own data', () => {
  const both = decisionName(fitDecision(scored(400), { budget: { falseAlarms: 0.05, missed: 0.1 } }));
  expect(both).toEqual({ id: expect.any(String), falseAlarms: 0.05, missed: 0.1 });
  const few = decisionName(fitDecision(scored(60), { budget: { falseAlarms: 0.2, missed: 0.01 } }));
  expect(few).toEqual({ id: expect.any(String), falseAlarms: 0.2, missed: 0.01, missedPromised: false });
  const one = decisionName(fitDecision(scored(400), { budget: { falseAlarms: 0.05 } }));
  expect(one).toEqual({ id: expect.any(String), falseAlarms: 0.05 });
  expect(new Set([both.id, few.id, one.id]).size).toBe(3);
});
