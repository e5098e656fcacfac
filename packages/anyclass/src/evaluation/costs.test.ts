import { fitDecision, NumpyRandom } from '@anyclass/core';
import { expect, test } from 'vitest';
import { changedDecision } from '../inference/changedDecision.js';
import { pricedDecision } from './costs.js';

test('a budget from costs counts images, also where the own limits count whole groups', () => {
  const random = new NumpyRandom(3);
  const targets = Array.from({ length: 300 }, (_, i) => Number(i % 4 === 0));
  const scored = {
    scores: Float64Array.from(targets, (target) => (random.random() + target) / 2),
    targets,
    classNames: ['crack'],
    split: 'validation',
    groups: targets.map((_, i) => `p${i >> 1}`),
  };
  const own = fitDecision(scored, { budget: { falseAlarms: 0.1, per: 'group' } });
  const { decision, costs } = pricedDecision(scored, {}, { miss: 10, alarm: 1 });
  const { budget } = changedDecision(own, decision);
  expect(budget).toMatchObject({ falseAlarms: costs.falseAlarms, per: 'image' });
  const { report } = fitDecision(scored, changedDecision(own, decision));
  expect(report.falseAlarmRate).toBeLessThanOrEqual(costs.falseAlarms);
});
