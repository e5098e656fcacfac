import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { groupedSet, upperTail } from '../../../../bench/core/groupedSets.js';
import { readVectors } from '../../test/files.js';
import { drawOfGroups, groupHash, groupingOf } from '../labels/groups.js';
import { measure } from '../metrics/measure.js';
import { presenceProbability } from '../metrics/presence.js';
import type { Scored } from '../metrics/scored.js';
import { NumpyRandom } from '../random/numpyRandom.js';
import { applyDecision, decideGroups } from './applyDecision.js';
import { crossFit } from './crossFit.js';
import type { Decision, FalseAlarmBudget } from './decision.js';
import { describeFalseAlarms, describeGuarantee } from './describe.js';
import { type FitDecisionOptions, fitDecision } from './fitDecision.js';
import { countOutcomes } from './workload.js';

test('the hash of a group is FNV-1a of its UTF-8 text after the fixed seed', () => {
  expect(groupHash('patient 7')).toBe(1864196909);
  expect(groupHash('Straße 😀 7')).toBe(416730434);
  expect(groupHash(7)).toBe(groupHash('7'));
});

test('one candidate of every group is drawn, whatever the order of the rows', () => {
  const rows = fc.array(
    fc.record({
      group: fc.constantFrom('a', 'b', 'c', 'd'),
      score: fc.integer({ min: 0, max: 9 }),
      is: fc.boolean(),
    }),
    { minLength: 1, maxLength: 20 },
  );
  const drawn = (table: { group: string; score: number; is: boolean }[]) => {
    const grouping = groupingOf(
      table.map(({ group }) => group),
      table.length,
    );
    const scores = Float64Array.from(table, ({ score }) => score);
    return Array.from(
      drawOfGroups(grouping, scores, (row) => table[row]!.is),
      (row) => table[row]!,
    ).map(({ group, score }) => `${group} ${score}`);
  };
  fc.assert(
    fc.property(rows, (table) => {
      const groups = new Set(table.filter(({ is }) => is).map(({ group }) => group));
      expect(drawn(table)).toHaveLength(groups.size);
      expect(drawn([...table].reverse()).sort()).toEqual(drawn(table).sort());
    }),
  );
});

interface GroupsCase {
  readonly name: string;
  readonly falseAlarms: number;
  readonly missed: number;
  readonly confidence: number;
  readonly fit: readonly (readonly [group: string, presence: number, positive: number])[];
  readonly judge: GroupsCase['fit'];
  readonly expected: Record<
    'row' | 'group',
    { alarmAbove: number; clearBelow: number; alarm: number; clear: number }
  >;
}

function scoredOf(rows: GroupsCase['fit'], split: string): Scored {
  return {
    scores: Float64Array.from(rows, ([, presence]) => presenceProbability(presence)),
    presence: Float64Array.from(rows, ([, presence]) => presence),
    targets: rows.map(([, , positive]) => positive),
    groups: rows.map(([group]) => group),
    classNames: ['any'],
    split,
  };
}

const { cases }: { readonly cases: readonly GroupsCase[] } = readVectors('groups.json');
describe('an independent implementation finds the same', () => {
  test.each(cases)('$name', ({ falseAlarms, missed, confidence, fit, judge, expected }) => {
    for (const per of ['image', 'group'] as const) {
      const decision = fitDecision(scoredOf(fit, 'validation'), {
        budget: { falseAlarms, missed, confidence, per },
      });
      const { alarmAbove, clearBelow, alarm, clear } = expected[per === 'image' ? 'row' : 'group'];
      expect(decision.presence).toBeGreaterThan(alarmAbove);
      expect(decision.presence).toBeCloseTo(alarmAbove, 14);
      expect(decision.clear).toBe(clearBelow);
      const { rows } = countOutcomes(scoredOf(judge, 'test'), { threshold: decision });
      expect(rows.alarm / judge.length).toBe(alarm);
      expect(rows.clear / judge.length).toBe(clear);
      expect(decision.report.guarantee).toMatchObject({ holds: true, unit: per, rate: falseAlarms });
      expect(decision.report.triage?.guarantee).toMatchObject({ holds: true, unit: per, rate: missed });
    }
  });
});

/** The share of all negatives that pass the gate of a simulated set. */
function trueRate({ presence }: Decision): number {
  if (presence === null) return 0;
  const probability = presenceProbability(presence);
  return upperTail(Math.log(probability / (1 - probability)));
}

const SETS = 400;
function exceeded(correlation: number, options: FitDecisionOptions, isGrouped: boolean): number {
  const random = new NumpyRandom(7);
  let count = 0;
  for (let set = 0; set < SETS; set++) {
    const { groups, ...ungrouped } = groupedSet(random, { groups: 120, largest: 20, correlation });
    if (trueRate(fitDecision(isGrouped ? { ...ungrouped, groups } : ungrouped, options)) > 0.05) count++;
  }
  return count / SETS;
}

describe('over 400 simulated sets of 120 groups', () => {
  const most = 0.05 + 3 * Math.sqrt((0.05 * 0.95) / SETS);
  test.each([0, 0.5, 0.8])(
    'a promise that rests on one negative a group is kept at a correlation of %d',
    (correlation) => {
      expect(exceeded(correlation, {}, true)).toBeLessThanOrEqual(most);
    },
  );
  test('a promise that takes images of a group as independent is not', () => {
    expect(exceeded(0.8, {}, false)).toBeGreaterThan(0.2);
  });
});

describe('a fit with groups', () => {
  const set = groupedSet(new NumpyRandom(3), { groups: 100, largest: 6, correlation: 0.5, positives: 80 });
  test('says that its promise weighs each group equally, and how many it rests on', () => {
    const { report } = fitDecision(set);
    expect(report.guarantee).toMatchObject({ holds: true, unit: 'image', groups: 100, of: 100 });
    expect(report.groups).toBe(180);
    expect(report.guarantee.holds && describeGuarantee(report.guarantee)).toMatch(
      /^at most 5% of negatives alarm, counting each group equally, with 95% confidence \(rests on \d of 100 groups\)$/,
    );
    expect(report.falseAlarmBound).toBeNull();
    expect(describeFalseAlarms({ report, fittedOn: 'validation' })).toMatch(/% by group\)$/);
  });
  test('of one row each decides as without groups', () => {
    const alone = { ...set, groups: set.groups.map((_, row) => `row ${row}`) };
    const { groups: _, ...ungrouped } = set;
    const [first, second] = [fitDecision(alone), fitDecision(ungrouped)];
    expect(first.presence).toBe(second.presence);
    expect(first.thresholds).toEqual(second.thresholds);
    expect(first.report.falseAlarmBound).toBe(second.report.falseAlarmBound);
  });
  test('with too few groups promises nothing, and says how many more it takes', () => {
    const few = groupedSet(new NumpyRandom(3), { groups: 40, largest: 20, correlation: 0.5 });
    const { report } = fitDecision(few);
    expect(report.negatives).toBeGreaterThan(59);
    expect(report.guarantee).toMatchObject({ holds: false, reason: 'too few negatives', of: 40, needed: 59 });
    expect(report.remarks.join()).toMatch(
      /40 groups with a negative are too few.*It takes 59: label 19 more/,
    );
  });
  test('with too few groups keeps the limits on these rows, counted by image or by group as they are asked for', () => {
    for (let seed = 0; seed < 40; seed++) {
      const set = groupedSet(new NumpyRandom(seed), { groups: 30, largest: 12, correlation: 0.5 });
      // Three positives a group.
      const groups = set.groups.map((group) =>
        group.replace(/^positive (\d+)/, (_, row) => `positive ${row % 10}`),
      );
      const few = { ...set, groups };
      const limits = { falseAlarms: 0.1, missed: 0.1, confidence: 0.99 };
      const fitFor = (per: 'image' | 'group') => fitDecision(few, { budget: { ...limits, per } });
      const [byImage, byGroup] = [fitFor('image'), fitFor('group')];
      const seen = (threshold: Decision) => measure(few, { threshold, allowSameSplit: true });
      expect(seen(byImage).negativesAlarmed).toBeLessThanOrEqual(0.1);
      expect(seen(byImage).missedRate).toBeLessThanOrEqual(0.1);
      expect(seen(byGroup).groupsAlarmed).toBeLessThanOrEqual(0.1);
      expect(seen(byGroup).groupsMissed).toBeLessThanOrEqual(0.1);
      expect(byGroup.report.withinBudget).toBe(true);
      expect(byImage.report.remarks.join()).toMatch(
        /30 groups with a negative are.*kept on these rows, counted by image, without/,
      );
      expect(byGroup.report.remarks.join()).toMatch(
        /30 groups with negatives only are.*kept on these rows, without/,
      );
    }
  });
  test('never draws an undecided row, and counts a group with positives through its negatives', () => {
    const targets = Array.from(set.targets);
    const unknown = set.groups.indexOf('negative 5');
    targets[unknown] = Number.NaN;
    const isAlone = set.groups.filter((group) => group === 'negative 5').length === 1;
    const { report } = fitDecision({ ...set, targets });
    expect(report.guarantee).toMatchObject({ of: isAlone ? 99 : 100 });
    targets[unknown] = 1;
    expect(fitDecision({ ...set, targets }).report.guarantee).toMatchObject({ of: isAlone ? 99 : 100 });
  });
  test("per 'group' counts groups without a positive or undecided row, by their highest score", () => {
    const budget: FalseAlarmBudget = { falseAlarms: 0.05, per: 'group' };
    const targets = Array.from(set.targets);
    targets[set.groups.indexOf('negative 5')] = Number.NaN;
    targets[set.groups.indexOf('negative 6')] = 1;
    const decision = fitDecision({ ...set, targets }, { budget });
    expect(decision.report.guarantee).toMatchObject({ unit: 'group', of: 98 });
    expect(decision.presence).toBeGreaterThan(fitDecision({ ...set, targets }).presence!);
    expect(decision.report.guarantee.holds && describeGuarantee(decision.report.guarantee)).toMatch(
      /^at most 5% of groups without positives get an alarm, with 95% confidence, if new groups are of similar sizes/,
    );
  });
  test('refuses rows without a group, and units without groups', () => {
    const groups = [...set.groups];
    groups[12] = '';
    expect(() => fitDecision({ ...set, groups })).toThrow('groups has no value at row 12');
    const { groups: _, ...ungrouped } = set;
    expect(() => fitDecision(ungrouped, { budget: { falseAlarms: 0.05, per: 'group' } })).toThrow(
      'no groups',
    );
  });
  test('cross-fits only with undivided groups', () => {
    const names = [...new Set(set.groups)];
    const folds = set.groups.map((group) => names.indexOf(group) % 5);
    expect(measure(crossFit(set, { folds })).falseAlarmRateByGroup).toBeLessThan(0.1);
    const row = set.groups.findIndex((group, i) => group === set.groups[i + 1]);
    folds[row] = (folds[row]! + 1) % 5;
    expect(() => crossFit(set, { folds })).toThrow(`rows of group ${set.groups[row]} are in folds`);
  });
});

describe('candidates compared on the rows of the fit', () => {
  const set = groupedSet(new NumpyRandom(3), { groups: 400, largest: 1, correlation: 0 });
  test('share the error probability', () => {
    const [one, eight] = [fitDecision(set), fitDecision(set, { candidates: 8 })];
    expect(eight.presence).toBeGreaterThan(one.presence!);
    expect(eight.candidates).toBe(8);
    expect(eight.report.guarantee).toMatchObject({ holds: true, confidence: 0.95, candidates: 8 });
    expect(eight.report.guarantee.holds && describeGuarantee(eight.report.guarantee)).toContain(
      '8 candidates were compared',
    );
  });
  test.each([
    [8, 99],
    [32, 126],
  ])('%d of them need %d negatives for 5%', (candidates, needed) => {
    const few = groupedSet(new NumpyRandom(3), { groups: needed - 1, largest: 1, correlation: 0 });
    expect(fitDecision(few, { candidates }).report.guarantee).toMatchObject({ holds: false, needed });
    const enough = groupedSet(new NumpyRandom(3), { groups: needed, largest: 1, correlation: 0 });
    expect(fitDecision(enough, { candidates }).report.guarantee.holds).toBe(true);
  });
  test('that cannot be counted void the promise, and the limit is called approximate', () => {
    const { report, presence } = fitDecision(set, { candidates: 'adaptive' });
    expect(report.guarantee).toMatchObject({ holds: false, reason: 'adaptive choice' });
    expect(report.remarks.join()).toContain('approximate');
    expect(presence).toBe(fitDecision(set).presence);
  });
  test('of which the best is chosen break an undivided promise, and keep a divided one', () => {
    const random = new NumpyRandom(11);
    const sets = 200;
    const exceeding = { undivided: 0, divided: 0 };
    for (let set = 0; set < sets; set++) {
      // Eight models that are equally good: the one whose gate lets the most positives pass was merely lucky.
      const models = Array.from({ length: 8 }, () =>
        groupedSet(random, { groups: 120, largest: 1, correlation: 0, positives: 100 }),
      );
      for (const [key, candidates] of [
        ['undivided', 1],
        ['divided', 8],
      ] as const) {
        const decisions = models.map((model) => fitDecision(model, { candidates, kappa: 0 }));
        const recall = decisions.map(({ presence }, m) => {
          const least = presenceProbability(presence!);
          return models[m]!.scores.filter((score, row) => row >= 120 && score >= least).length;
        });
        const best = decisions[recall.indexOf(Math.max(...recall))]!;
        if (trueRate(best) > 0.05) exceeding[key]++;
      }
    }
    expect(exceeding.undivided / sets).toBeGreaterThan(0.1);
    expect(exceeding.divided / sets).toBeLessThanOrEqual(0.05 + 3 * Math.sqrt((0.05 * 0.95) / sets));
  });
});

test('a group alarms if any of its rows does, and is clear only if all are', () => {
  const scores = new Float64Array([0.05, 0.9, 0.05, 0.05, 0.05, 0.4]);
  const set = groupedSet(new NumpyRandom(3), { groups: 100, largest: 1, correlation: 0, positives: 80 });
  const fitted = fitDecision(set, { budget: { falseAlarms: 0.05, missed: 0.1 } });
  const decided = applyDecision(scores, { ...fitted, presence: 1, clear: 0.1 });
  const groups = decideGroups(decided, ['a', 'a', 'b', 'b', 'c', 'c']);
  expect(groups.map(({ group, outcome }) => [group, outcome])).toEqual([
    ['a', 'alarm'],
    ['b', 'clear'],
    ['c', 'review'],
  ]);
  expect(groups[0]).toMatchObject({ rows: [0, 1], presence: -Math.log1p(-0.9) });
});
