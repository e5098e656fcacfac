import fc from 'fast-check';
import { expect, test } from 'vitest';
import { plainRows } from '../../test/plainDecision.js';
import { labelOrUnknown, scoredRows } from '../../test/scoredRows.js';
import { fitDecision } from '../decisions/fitDecision.js';
import { measure } from './measure.js';

test('the false-alarm rate by group is the mean of the rates of groups with negatives', () => {
  const rows = scoredRows(labelOrUnknown).chain((scored) =>
    fc
      .array(fc.constantFrom('a', 'b', 'c', 'd', 'e'), {
        minLength: scored.scores.length / scored.classNames.length,
        maxLength: scored.scores.length / scored.classNames.length,
      })
      .map((groups) => ({ ...scored, groups })),
  );
  fc.assert(
    fc.property(rows, (scored) => {
      const plain = plainRows(scored).map((row, i) => ({ ...row, group: scored.groups[i]! }));
      const negatives = plain.filter(({ kind }) => kind === 'negative');
      const rates = [...new Set(negatives.map(({ group }) => group))].map((group) => {
        const own = negatives.filter((row) => row.group === group);
        return own.filter(({ probabilities }) => probabilities.some((p) => p >= 0.5)).length / own.length;
      });
      const { falseAlarmRateByGroup } = measure(scored);
      if (rates.length === 0) expect(falseAlarmRateByGroup).toBeNull();
      else
        expect(falseAlarmRateByGroup).toBeCloseTo(rates.reduce((sum, rate) => sum + rate) / rates.length, 12);
    }),
  );
});

test('negatives that alarm without a label count among those alarmed, and not among false alarms', () => {
  const scored = {
    scores: new Float64Array([0.9, 0.7, 0.1, 0.7, 0.95]),
    targets: [0, 0, 0, 0, 1],
    classNames: ['crack'],
    groups: ['a', 'a', 'b', 'c', 'd'],
    split: 'test',
  };
  // The gate lets 0.6 pass; the class needs 0.8.
  const decision = fitDecision(
    { ...scored, split: 'validation' },
    { rule: 'gate', budget: { falseAlarms: 1, confidence: null } },
  );
  const threshold = { ...decision, presence: 0.9, thresholds: [0.8] };
  const { falseAlarmRateByGroup, negativesAlarmedByGroup } = measure(scored, {
    threshold,
    allowSameSplit: true,
  });
  expect(falseAlarmRateByGroup).toBeCloseTo((1 / 2 + 0 + 0) / 3, 12);
  expect(negativesAlarmedByGroup).toBeCloseTo((1 + 0 + 1) / 3, 12);
});

test('positives that are cleared count by group too, each group with the same weight', () => {
  const scored = {
    scores: new Float64Array([0.1, 0.9, 0.9, 0.9, 0.1, 0.1]),
    targets: [1, 1, 1, 1, 1, 0],
    classNames: ['crack'],
    groups: ['a', 'a', 'a', 'a', 'b', 'c'],
    split: 'test',
  };
  const { missedRate, missedRateByGroup } = measure(scored);
  expect(missedRate).toBeCloseTo(2 / 5, 12);
  expect(missedRateByGroup).toBeCloseTo((1 / 4 + 1) / 2, 12);
});

test('without groups there is none, and the reason is given', () => {
  const { falseAlarmRateByGroup, undefinedMetrics } = measure({
    scores: new Float64Array([0.9, 0.1]),
    targets: [1, 0],
    classNames: ['crack'],
  });
  expect(falseAlarmRateByGroup).toBeNull();
  expect(undefinedMetrics.map(({ metric }) => metric)).toContain('falseAlarmRateByGroup');
});

test('a group alarms if any of its rows does, and is missed if all of them are cleared', () => {
  const alarm = 0.9;
  const quiet = 0.1;
  const { groupsAlarmed, groupsMissed } = measure({
    scores: new Float64Array([alarm, quiet, quiet, quiet, alarm, quiet, quiet, quiet]),
    targets: [0, 0, 0, 0, 0, 1, 1, Number.NaN],
    classNames: ['crack'],
    //        alarms     quiet      positive, alarms       missed         undecided
    groups: ['a', 'a', 'b', 'b', 'c', 'c', 'd', 'e'],
  });
  expect(groupsAlarmed).toBe(1 / 2);
  expect(groupsMissed).toBe(1 / 2);
});
