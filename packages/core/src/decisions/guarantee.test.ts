import { describe, expect, test } from 'vitest';
import { presenceProbability } from '../metrics/presence.js';
import { NumpyRandom } from '../random/numpyRandom.js';
import type { Decision } from './decision.js';
import { describeFalseAlarms, describeGuarantee } from './describe.js';
import { type FitDecisionOptions, fitDecision } from './fitDecision.js';

/**
 * One class. Negatives score uniformly, so that the share of all negatives above a score is known; positives score higher.
 */
function simulated(random: NumpyRandom, negatives: number, positives: number) {
  const rows = negatives + positives;
  const scores = Float64Array.from({ length: rows }, (_, row) => {
    return row < negatives ? random.random() : random.random() ** 0.2;
  });
  const targets = Array.from({ length: rows }, (_, row) => Number(row >= negatives));
  return { scores, targets, classNames: ['crack'], split: 'validation' };
}

/** The share of all negatives that pass the gate, or that a shared threshold predicts. */
function trueRate({ rule, presence, thresholds }: Decision): number {
  if (presence === null) return 0;
  return 1 - (rule === 'gate' ? presenceProbability(presence) : thresholds[0]!);
}

const SPLITS = 1000;
function violations(negatives: number, rate: number, options: FitDecisionOptions): number {
  const random = new NumpyRandom(negatives);
  let count = 0;
  for (let split = 0; split < SPLITS; split++) {
    if (trueRate(fitDecision(simulated(random, negatives, 30), options)) > rate) count++;
  }
  return count / SPLITS;
}

describe('over 1,000 splits', () => {
  const threeErrors = (delta: number) => 3 * Math.sqrt((delta * (1 - delta)) / SPLITS);
  test.each([
    ['gate', 59, 0.05, 0.95],
    ['gate', 200, 0.05, 0.95],
    ['gate', 400, 0.1, 0.8],
    ['shared', 200, 0.05, 0.95],
  ] as const)(
    'rule %s with %d negatives exceeds %d with at most the stated probability',
    (rule, n, falseAlarms, confidence) => {
      const exceeded = violations(n, falseAlarms, { rule, budget: { falseAlarms, confidence } });
      expect(exceeded).toBeLessThanOrEqual(1 - confidence + threeErrors(1 - confidence));
    },
  );
  test('a budget without confidence is exceeded on new data far more often', () => {
    const budget = { falseAlarms: 0.05, confidence: null };
    expect(violations(200, 0.05, { rule: 'shared', budget })).toBeGreaterThan(0.15);
  });
});

describe('the report', () => {
  const fit = (negatives: number, options: FitDecisionOptions = {}) =>
    fitDecision(simulated(new NumpyRandom(5), negatives, 40), options);
  test('rounds nothing that is left to 0, and no doubt away', () => {
    const { report } = fit(300, { budget: { falseAlarms: 0.3, confidence: 0.99995 } });
    expect(report.guarantee.holds && describeGuarantee(report.guarantee)).toContain(
      'with 99.995% confidence',
    );
  });
  test('says how many more to label with separators, of one in the singular, and that nothing guarantees 0', () => {
    const remarks = (negatives: number, falseAlarms: number) =>
      fit(negatives, { budget: { falseAlarms } }).report.remarks.join();
    expect(remarks(300, 0.0001)).toMatch(
      /^300 negatives are too few .* It takes 29,956: label 29,656 more\./,
    );
    expect(remarks(1, 0.05)).toMatch(/^1 negative is too few .* that it can guarantee is 95%\. It takes 59/);
    expect(remarks(300, 0)).toMatch(/can guarantee is 1%\. No number of them can guarantee a limit of 0\./);
  });
  test('says that the guarantee holds, with its rate and confidence', () => {
    const { report, budget } = fit(300);
    expect(budget).toEqual({ falseAlarms: 0.05, confidence: 0.95 });
    expect(report.guarantee).toEqual({
      holds: true,
      about: 'false alarms',
      rate: 0.05,
      confidence: 0.95,
      unit: 'image',
      groups: null,
      candidates: 1,
      exceeding: 8,
      of: 300,
    });
    expect(report.guarantee.holds && describeGuarantee(report.guarantee)).toBe(
      'at most 5% of negatives alarm, with 95% confidence (rests on 8 of 300 negatives)',
    );
    expect(report.remarks).toEqual([]);
  });
  test('with too few negatives names the smallest rate that they can guarantee, and meets the plain budget', () => {
    const { report, presence } = fit(58);
    const { guarantee } = report;
    expect(guarantee).toMatchObject({ holds: false, reason: 'too few negatives', of: 58, needed: 59 });
    expect(!guarantee.holds && guarantee.smallestRate).toBeCloseTo(0.0503393, 6);
    expect(report.remarks.join()).toMatch(
      /58 negatives are too few.*smallest.*5\.1%.*takes 59: label 1 more.*without a guarantee/,
    );
    expect(presence).toBe(fit(58, { budget: { falseAlarms: 0.05, confidence: null } }).presence);
    expect(fit(59).report.guarantee.holds).toBe(true);
  });
  test('says that nothing is guaranteed if it was not requested, or the rule has no bound', () => {
    const reason = (options: FitDecisionOptions) => fit(300, options).report.guarantee;
    expect(reason({ budget: { f1Neg: 0.5 } })).toEqual({ holds: false, reason: 'not requested' });
    expect(reason({ budget: { falseAlarms: 0.1, confidence: null } })).toMatchObject({
      reason: 'not requested',
    });
    for (const budget of [{ falseAlarms: 0.1, confidence: null }, { f1Neg: 0.5 }]) {
      expect(fit(300, { budget }).report.remarks.join()).toContain('Nothing is promised about new data');
    }
    expect(fit(300).report.remarks.join()).not.toContain('Nothing is promised');
    expect(reason({ rule: 'class' })).toEqual({ holds: false, reason: 'rule has no bound' });
    expect(reason({ rule: 'fixed' })).toEqual({ holds: false, reason: 'rule has no bound' });
    expect(fit(300, { rule: 'class' }).report.remarks.join()).toContain(
      "Rule 'class' does not use the budget",
    );
  });
  test('describes false alarms with their count, share and bound', () => {
    const decision = fit(300);
    const report = {
      ...decision.report,
      falseAlarms: 38,
      negatives: 805,
      falseAlarmRate: 38 / 805,
      falseAlarmBound: 0.06141714,
    };
    expect(describeFalseAlarms({ report, fittedOn: 'validation' })).toBe(
      '38 of 805 validation negatives (4.7%; at most 6.1% with 95% confidence)',
    );
  });
  test.each(['gate', 'shared'] as const)(
    'with rule %s, a score tied with the negative to exceed is not enough',
    (rule) => {
      // With 100 negatives and δ = 0.05, 99 must be exceeded for a rate of 0.05, so scores must exceed the tied ones.
      const scores = Float64Array.from({ length: 110 }, (_, row) => (row < 105 ? 0.5 : 0.9));
      const targets = Array.from(scores, (_, row) => Number(row >= 100));
      const tied = { scores, targets, classNames: ['crack'], split: 'validation' };
      const { report, presence } = fitDecision(tied, { rule, ...(rule === 'gate' ? { kappa: 0 } : {}) });
      expect(report).toMatchObject({ falseAlarms: 0, macroFBeta: 2 / 3 });
      if (rule === 'gate') expect(presence).toBeGreaterThan(Math.LN2);
      if (rule === 'gate') expect(presence).toBeCloseTo(Math.LN2, 14);
    },
  );
  test('at a rate of 0, no negative may pass, which cannot be guaranteed', () => {
    const { report } = fit(300, { budget: { falseAlarms: 0 } });
    expect(report.falseAlarms).toBe(0);
    expect(report.guarantee.holds).toBe(false);
  });
});
