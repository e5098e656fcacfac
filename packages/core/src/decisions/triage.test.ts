import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { groupedSet, upperTail } from '../../../../bench/core/groupedSets.js';
import { hasDecisionRuns, readDecisionRun } from '../../test/decisionRuns.js';
import { plainRows } from '../../test/plainDecision.js';
import { labelOrUnknown, scoredRows } from '../../test/scoredRows.js';
import { measure } from '../metrics/measure.js';
import { presenceProbability, presenceScores } from '../metrics/presence.js';
import { NumpyRandom } from '../random/numpyRandom.js';
import { applyDecision } from './applyDecision.js';
import { quietRank } from './binomialBounds.js';
import type { FalseAlarmBudget } from './decision.js';
import { describeGuarantee } from './describe.js';
import { fitDecision } from './fitDecision.js';
import { countOutcomes, workload } from './workload.js';

test('rows alarm strictly above one order statistic, and are cleared strictly below the other', () => {
  const confidence = 0.6;
  const budget = fc.record({
    falseAlarms: fc.constantFrom(0.2, 0.3, 0.5),
    missed: fc.constantFrom(0.2, 0.3, 0.5),
  });
  fc.assert(
    fc.property(scoredRows(labelOrUnknown), budget, (scored, { falseAlarms, missed }) => {
      const rows = plainRows(scored);
      const of = (kind: 'positive' | 'negative') =>
        rows.filter((row) => row.kind === kind).map(({ presence }) => presence);
      const negatives = of('negative').sort((a, b) => (a < b ? -1 : 1));
      const positives = of('positive').sort((a, b) => (a > b ? -1 : 1));
      const high = quietRank(negatives.length, falseAlarms, 1 - confidence);
      const low = quietRank(positives.length, missed, 1 - confidence);
      fc.pre(high !== null && low !== null);
      const [alarmAbove, clearBelow] = [negatives[high! - 1]!, positives[low! - 1]!];
      fc.pre(clearBelow <= alarmAbove && Number.isFinite(alarmAbove));
      const decision = fitDecision(
        { ...scored, split: 'validation' },
        { budget: { falseAlarms, missed, confidence }, kappa: 0 },
      );
      const { outcomes } = applyDecision(scored.scores, decision);
      // A gate that nothing useful passes is closed; what would have alarmed is then reviewed.
      const alarms = decision.presence === null ? 'review' : 'alarm';
      expect(outcomes).toEqual(
        rows.map(({ presence }) =>
          presence > alarmAbove ? alarms : presence < clearBelow ? 'clear' : 'review',
        ),
      );
    }),
  );
});

describe('if positives and negatives are far apart', () => {
  // Between 0.4 and 0.6 there is room for a gate that keeps both limits.
  const random = new NumpyRandom(1);
  const scores = Float64Array.from(
    { length: 200 },
    (_, row) => 0.4 * random.random() + (row < 100 ? 0 : 0.6),
  );
  const targets = Array.from(scores, (_, row) => Number(row >= 100));
  const apart = { scores, targets, classNames: ['crack'], split: 'validation' };
  const decision = fitDecision(apart, { budget: { falseAlarms: 0.05, missed: 0.05 } });
  test('nothing needs review, and the best gate in between is taken', () => {
    expect(decision.presence).toBe(decision.clear);
    expect(decision.report.triage?.rows).toEqual({ clear: 100, review: 0, alarm: 100 });
    expect(decision.report.macroFBeta).toBe(1);
    expect(decision.report.remarks.join()).toContain('No row needs review');
  });
  test('both promises hold together with at least the sum of their confidences less one', () => {
    expect(decision.report.remarks.join()).toContain('at least 90% confidence');
    const { guarantee } = decision.report.triage!;
    expect(guarantee.holds && describeGuarantee(guarantee)).toMatch(
      /^at most 5% of positives are cleared, with 95% confidence \(rests on \d of 100 positives\)$/,
    );
  });
});

test('limits that promise nothing are kept on the rows of the fit, alarms without a label included', () => {
  const limits = fc.record({
    falseAlarms: fc.constantFrom(0.05, 0.2, 0.5),
    missed: fc.constantFrom(0.05, 0.2, 0.5),
    confidence: fc.constant(null),
  });
  fc.assert(
    fc.property(scoredRows(labelOrUnknown), limits, fc.constantFrom(0, 10), (scored, budget, kappa) => {
      const kinds = plainRows(scored).map(({ kind }) => kind);
      fc.pre(kinds.includes('positive') && kinds.includes('negative'));
      const decision = fitDecision({ ...scored, split: 'validation' }, { budget, kappa });
      const { negativesAlarmed, falseAlarmRate, missedRate } = measure(
        { ...scored, split: 'again' },
        { threshold: decision, allowSameSplit: true },
      );
      expect(negativesAlarmed).toBeLessThanOrEqual(budget.falseAlarms);
      expect(falseAlarmRate).toBeLessThanOrEqual(budget.falseAlarms);
      expect(missedRate).toBeLessThanOrEqual(budget.missed);
      expect(decision.report.withinBudget).toBe(true);
    }),
    { numRuns: 1000 },
  );
});

describe('over 300 simulated sets', () => {
  const SETS = 300;
  const random = new NumpyRandom(21);
  const exceeding = { alarms: 0, misses: 0 };
  for (let set = 0; set < SETS; set++) {
    const { groups: _, ...rows } = groupedSet(random, {
      groups: 150,
      largest: 1,
      correlation: 0,
      positives: 100,
    });
    const { presence, clear } = fitDecision(rows, { budget: { falseAlarms: 0.1, missed: 0.1 }, kappa: 0 });
    const logitOf = (score: number) =>
      Math.log(presenceProbability(score) / (1 - presenceProbability(score)));
    if (upperTail(logitOf(presence!)) > 0.1) exceeding.alarms++;
    if (1 - upperTail(logitOf(clear!) - 2) > 0.1) exceeding.misses++;
  }
  const most = 0.05 + 3 * Math.sqrt((0.05 * 0.95) / SETS);
  test.each(['alarms', 'misses'] as const)('the limit on %s is exceeded as rarely as promised', (side) => {
    expect(exceeding[side] / SETS).toBeLessThanOrEqual(most);
    expect(exceeding[side]).toBeGreaterThan(0);
  });
});

describe('limits that cannot be promised', () => {
  const set = groupedSet(new NumpyRandom(4), { groups: 200, largest: 1, correlation: 0, positives: 40 });
  const { groups: _, ...rows } = set;
  test('are kept on the rows of the fit, by name', () => {
    const { report, clear } = fitDecision(rows, { budget: { falseAlarms: 0.05, missed: 0.05 } });
    expect(report.triage!.guarantee).toMatchObject({
      holds: false,
      reason: 'too few positives',
      of: 40,
      needed: 59,
    });
    expect(report.remarks.join()).toMatch(
      /40 positives are too few.*missed positives.*It takes 59: label 19 more/,
    );
    expect(report.triage!.missedRate).toBeLessThanOrEqual(0.05);
    expect(clear).toBeGreaterThan(0);
    expect(report.guarantee.holds).toBe(true);
  });
  test('without confidence are plain limits', () => {
    const budget: FalseAlarmBudget = { falseAlarms: 0.05, missed: 0.1, confidence: null };
    const { report } = fitDecision(rows, { budget });
    expect(report.triage!.guarantee).toEqual({ holds: false, reason: 'not requested' });
    expect(report.triage!.positives.clear).toBe(4);
  });
  test('belong to rule gate', () => {
    expect(() => fitDecision(rows, { rule: 'shared', budget: { falseAlarms: 0.05, missed: 0.1 } })).toThrow(
      "budget.missed has no effect with rule 'shared'",
    );
    expect(() => fitDecision(rows, { budget: { falseAlarms: 0.05, missed: 5 } })).toThrow(
      'budget.missed is 5',
    );
  });
});

describe('the metrics of outcomes', () => {
  const scores = new Float64Array([0.9, 0.5, 0.1, 0.9, 0.5, 0.1, 0.1, 0.1]);
  const judged = { scores, targets: [1, 1, 1, 0, 0, 0, 0, 0], classNames: ['crack'], split: 'test' };
  const set = groupedSet(new NumpyRandom(4), { groups: 200, largest: 1, correlation: 0, positives: 80 });
  const decision = {
    ...fitDecision(set, { budget: { falseAlarms: 0.05, missed: 0.1 } }),
    presence: 1,
    clear: 0.2,
    thresholds: [0.95],
  };
  test('count alarms with and without a label, cleared positives, and what is left for review', () => {
    const { negativesAlarmed, falseAlarmRate, missedRate, reviewRate } = measure(judged, {
      threshold: decision,
    });
    expect({ negativesAlarmed, falseAlarmRate, missedRate, reviewRate }).toEqual({
      negativesAlarmed: 1 / 5,
      falseAlarmRate: 0,
      missedRate: 1 / 3,
      reviewRate: 2 / 8,
    });
  });
  test('without a gate, follow the labels', () => {
    const { negativesAlarmed, falseAlarmRate, missedRate, recallAny, reviewRate } = measure(judged);
    expect(negativesAlarmed).toBe(falseAlarmRate);
    expect(missedRate).toBeCloseTo(1 - recallAny, 15);
    expect(reviewRate).toBe(0);
  });
  test('tell the work per 1,000 rows, also at another prevalence', () => {
    const counted = countOutcomes(judged, { threshold: decision });
    expect(counted.rows).toEqual({ clear: 4, review: 2, alarm: 2 });
    expect(workload(counted)).toEqual({ clear: 500, review: 250, alarm: 250 });
    const rare = workload(counted, { prevalence: 0.1, per: 100 });
    expect(rare.clear).toBeCloseTo(10 / 3 + 90 * 0.6, 12);
    expect(rare.review).toBeCloseTo(10 / 3 + 90 * 0.2, 12);
    expect(rare.alarm).toBeCloseTo(10 / 3 + 90 * 0.2, 12);
    expect(() => workload(counted, { prevalence: 2 })).toThrow('prevalence is 2');
    expect(() =>
      workload({ ...counted, positives: { clear: 0, review: 0, alarm: 0 } }, { prevalence: 0.1 }),
    ).toThrow(/^prevalence is 0.1, but none of the counted rows are positive.*add positives/);
  });
});

describe('presence scores given apart', () => {
  const set = groupedSet(new NumpyRandom(4), { groups: 200, largest: 1, correlation: 0, positives: 80 });
  const presence = presenceScores(set.scores, 1);
  // A calibration that was fitted on these rows changes the scores, not the presence that rows are ranked by.
  const calibrated = { ...set, scores: set.scores.map((score) => score ** 3), presence };
  const decision = fitDecision(calibrated, { budget: { falseAlarms: 0.05, missed: 0.1 } });
  test('decide gate and outcomes, and the scores the labels', () => {
    const plain = fitDecision(set, { budget: { falseAlarms: 0.05, missed: 0.1 } });
    expect([decision.presence, decision.clear]).toEqual([plain.presence, plain.clear]);
    expect(decision.thresholds).not.toEqual(plain.thresholds);
    expect(decision.presenceFrom).toBe('given');
    const judged = { ...calibrated, split: 'test', targets: [...Array.from(set.targets)].reverse() };
    expect(measure(judged, { threshold: decision }).negativesAlarmed).toBe(
      measure({ ...set, split: 'test', targets: judged.targets }, { threshold: plain }).negativesAlarmed,
    );
    expect(applyDecision(calibrated.scores, decision, { presence }).outcomes).toEqual(
      applyDecision(set.scores, plain).outcomes,
    );
  });
  test('are needed again wherever the decision is applied', () => {
    expect(() => applyDecision(set.scores, decision)).toThrow("set 'presence'");
    expect(() => measure({ ...set, split: 'test' }, { threshold: decision })).toThrow("set 'presence'");
    expect(() => applyDecision(set.scores, fitDecision(set), { presence })).toThrow("leave out 'presence'");
    expect(() => fitDecision({ ...set, presence: presence.slice(1) })).toThrow('presence has');
    expect(() => fitDecision({ ...set, presence: presence.map((score) => -score) })).toThrow(
      'presence at row 0',
    );
  });
});

describe.skipIf(!hasDecisionRuns)('on saved logits of trained models (needs the files)', () => {
  test.each([
    ['animals_any-bce-0.02', 0.05, 19.6, 68.3, 12.1, 4.58, 4.78, 0.817, 0.142],
    ['animals_any-bce-0.02', 0.1, 31.5, 56.4, 12.1, 4.58, 9.14, 0.817, 0.181],
    ['coco-41_bce', 0.05, 19.3, 50.4, 30.3, 4.79, 4.55, 1.664, 0.239],
    ['coco-41_bce', 0.1, 31.1, 38.6, 30.3, 4.79, 10.0, 1.664, 0.36],
  ])('%s, 5%% and %d', (name, missed, cleared, review, alarm, alarmed, positivesCleared, high, low) => {
    const { validation, test: elsewhere } = readDecisionRun(name);
    const decision = fitDecision(validation, { budget: { falseAlarms: 0.05, missed } });
    expect(decision.presence).toBeCloseTo(high, 3);
    expect(decision.clear).toBeCloseTo(low, 3);
    const work = workload(countOutcomes(elsewhere, { threshold: decision }), { per: 100 });
    const round = (value: number, digits: number) => Number(value.toFixed(digits));
    expect([work.clear, work.review, work.alarm].map((share) => round(share, 1))).toEqual([
      cleared,
      review,
      alarm,
    ]);
    const { negativesAlarmed, missedRate } = measure(elsewhere, { threshold: decision });
    expect([negativesAlarmed, missedRate].map((rate) => round(100 * rate!, 2))).toEqual([
      alarmed,
      positivesCleared,
    ]);
  });
});
