import { describe, expect, test } from 'vitest';
import { decision, promisedDecision } from '../../test/promisedDecision.js';
import { judge } from '../evaluation/judge.js';
import type { Comparison, GroupMetrics, HeldDifference, MetricDifferences } from './comparisonResult.js';
import {
  comparisonBasis,
  comparisonHeadline,
  comparisonVerdict,
  judgmentVerdict,
  sweepVerdict,
} from './comparisonVerdict.js';
import { spreadOf } from './metrics.js';

function held(value: number, low: number, high: number, perSeed = [value, value]): HeldDifference {
  const holds = low > 0 ? 'higher' : high < 0 ? 'lower' : 'unclear';
  const rest = { standardError: 0.01, undefinedReplicates: 0, first: 0.5, second: 0.5 + value, pValue: 0 };
  return { value, low, high, ...rest, holds, perSeed };
}

const same = held(0, -0.004, 0.004);

function at(macroF1: HeldDifference, falseAlarmRate: HeldDifference = same): MetricDifferences {
  return { macroF1, macroF2: null, f2Ciw: null, mAP: null, f1Neg: same, falseAlarmRate };
}

function group(label: string, f1: number, network = 'tresnet-m'): GroupMetrics {
  const metrics = {
    macroF1: spreadOf([f1]),
    macroF2: null,
    f2Ciw: null,
    mAP: spreadOf([0.4]),
    f1Neg: spreadOf([0.8]),
    falseAlarmRate: spreadOf([0.1]),
  };
  const decided = { ...metrics, macroF1: spreadOf([f1 + 0.1]), presenceAuc: null };
  return {
    dataset: 'pipes',
    network,
    loss: label.startsWith('any') ? 'any-bce' : 'bce',
    lambda: null,
    label,
    shortLabel: label.split(' ')[0]!,
    seeds: [1],
    folders: [],
    metrics: ['macroF1', 'mAP', 'f1Neg'],
    validation: metrics,
    test: metrics,
    decided: {
      ...promisedDecision,
      validation: decided,
      test: decided,
      tradeOff: null,
    },
  };
}

function comparisonOf(
  decided: Readonly<Record<string, MetricDifferences | null>>,
  more: Partial<Comparison> = {},
): Comparison {
  const names = Object.keys(decided);
  return {
    verdict: '',
    groups: [group('bce', 0.3), ...names.map((label, i) => group(label, 0.4 + i / 100))],
    differences: names.map((loss) => ({
      dataset: 'pipes',
      network: 'tresnet-m',
      loss,
      standard: 'bce',
      split: decided[loss] ? 'test' : 'validation',
      atHalf: at(held(0.05, 0.04, 0.06), held(0.02, 0.01, 0.03)),
      atDecision: decided[loss] ?? null,
      replicates: decided[loss] ? 100 : 0,
    })),
    confounded: [],
    notes: [],
    decision,
    replicates: 100,
    confidence: 0.95,
    ...more,
  };
}

describe('the verdict of a comparison', () => {
  test('says by how much the any-class loss is better at the same false-alarm budget', () => {
    expect(comparisonVerdict(comparisonOf({ any: at(held(0.033, 0.03, 0.036)) }))).toBe(
      'any beats bce on F1 by 3.3 points (3.0 to 3.6) at 5% false alarms (test, 2 seeds).',
    );
  });

  test('says if the any-class loss is worse, or if no difference holds', () => {
    expect(comparisonVerdict(comparisonOf({ any: at(held(-0.041, -0.044, -0.037)) }))).toBe(
      'any falls behind bce on F1 by 4.1 points (3.7 to 4.4) at 5% false alarms (test, 2 seeds).',
    );
    expect(comparisonVerdict(comparisonOf({ any: at(held(0.002, -0.004, 0.008)) }))).toBe(
      'No clear difference in F1 between any and bce at 5% false alarms: +0.2 points (−0.4 to +0.8) (test, 2 seeds).',
    );
  });

  test('mentions a rise in false alarms, and a difference that does not hold for every seed', () => {
    const costly = at(held(0.03, 0.02, 0.04, [0.07, -0.01]), held(0.005, 0.002, 0.008));
    expect(comparisonVerdict(comparisonOf({ any: costly }))).toBe(
      'any beats bce on F1 by 3.0 points (2.0 to 4.0) at 5% false alarms, with false alarms higher by 0.5 points (0.2 to 0.8) (test, 2 seeds, not for every seed).',
    );
  });

  test('has a headline of a few words, which says if seeds disagree', () => {
    const headline = (f1: HeldDifference) => comparisonHeadline(comparisonOf({ any: at(f1) }));
    expect(headline(held(0.033, 0.03, 0.036))).toBe('any beats bce by 3.3 points of F1.');
    expect(headline(held(-0.041, -0.044, -0.037))).toBe('any falls behind bce by 4.1 points of F1.');
    expect(headline(held(0.002, -0.004, 0.008))).toBe('No clear difference in F1 between any and bce.');
    expect(headline(held(0.03, 0.02, 0.04, [0.07, -0.01]))).toBe(
      'any is ahead of bce by 3.0 points of F1, but not for every seed.',
    );
  });

  test('says what the headline rests on without repeating it', () => {
    const basis = (f1: HeldDifference) => comparisonBasis(comparisonOf({ any: at(f1) }));
    expect(basis(held(0.033, 0.03, 0.036))).toBe(
      'On test, at 5% false alarms: +3.3 points of F1 (+3.0 to +3.6); 2 of 2 seeds agree.',
    );
    expect(basis(held(0.03, 0.02, 0.04, [0.07, -0.01]))).toBe(
      'On test, at 5% false alarms: +3.0 points of F1 (+2.0 to +4.0); 1 of 2 seeds agree.',
    );
    expect(basis(held(0.03, 0.02, 0.04, [0.03]))).toContain('one seed, so chance between seeds is unknown');
  });

  test.each([
    [{ ...decision, budget: { f1Neg: 0.9 } }, 'at an F1-Neg of at least 90% (test'],
    [{ ...decision, budget: { f1Neg: 'at 0.5' } }, 'at the F1-Neg of 0.5 (test'],
    [{ ...decision, rule: 'shared' }, 'at 5% false alarms with one threshold for all classes (test'],
    [{ ...decision, rule: 'class' }, 'with a threshold per class (test'],
    [{ ...decision, rule: 'fixed' }, 'at 0.5 (test'],
  ] as const)('says how both sides are decided: %j', (chosen, words) => {
    const comparison = comparisonOf({ any: at(held(0.033, 0.03, 0.036)) }, { decision: chosen });
    expect(comparisonVerdict(comparison)).toContain(words);
  });

  test('is about 0.5 without a test split', () => {
    expect(comparisonVerdict(comparisonOf({ any: null }))).toBe(
      'any beats bce on F1 by 5.0 points (4.0 to 6.0) at 0.5, with false alarms higher by 2.0 points (1.0 to 3.0) (validation, 2 seeds, no labeled test split to evaluate decisions on).',
    );
  });

  test('shows enough digits that no end of an interval that holds reads 0', () => {
    expect(comparisonVerdict(comparisonOf({ any: at(held(0.003, 0.0002, 0.006)) }))).toContain(
      'by 0.30 points (0.02 to 0.60)',
    );
  });

  test('is about the any-class loss with the highest validation F1, or the preferred one', () => {
    const both = comparisonOf({ low: at(held(0.01, 0.005, 0.02)), high: at(held(0.03, 0.02, 0.04)) });
    expect(comparisonVerdict(both)).toMatch(/^high beats bce/);
    expect(comparisonVerdict(both, 'low')).toMatch(/^low beats bce/);
  });

  test('names the fields other than the loss in which runs differ', () => {
    const pair = { dataset: 'pipes', network: 'tresnet-m', loss: 'any', standard: 'bce' };
    const confounded = [{ ...pair, fields: [{ field: 'epochs', first: '30', second: undefined }] }];
    const comparison = comparisonOf({ any: at(held(0.03, 0.02, 0.04)) }, { confounded });
    expect(comparisonVerdict(comparison)).toMatch(/; they also differ in epochs \(30 and unset\)\.$/);
    expect(comparisonHeadline(comparison)).toMatch(/; they also differ in epochs\.$/);
    expect(comparisonBasis(comparison)).toMatch(/They also differ in epochs \(30 and unset\)\.$/);
  });

  test('counts the fields in its headline where they are many', () => {
    const pair = { dataset: 'pipes', network: 'tresnet-m', loss: 'any', standard: 'bce' };
    const names = ['epochs', 'loss.beta', 'loss.reduction'];
    const fields = names.map((field) => ({ field, first: '1', second: '2' }));
    const headline = (count: number) =>
      comparisonHeadline(
        comparisonOf(
          { any: at(held(0.03, 0.02, 0.04)) },
          { confounded: [{ ...pair, fields: fields.slice(0, count) }] },
        ),
      );
    expect(headline(2)).toMatch(/; they also differ in epochs and beta\.$/);
    expect(headline(3)).toMatch(/; they also differ in 3 other settings\.$/);
  });

  test('calls losses by their short labels', () => {
    const long = comparisonOf({ 'any β=0.9999 reduction=batch': at(held(0.033, 0.03, 0.036)) });
    expect(comparisonVerdict(long)).toMatch(/^any beats bce on F1/);
    expect(comparisonHeadline(long)).toBe('any beats bce by 3.3 points of F1.');
  });

  test('claims no difference if none was tested', () => {
    const groups = [group('bce', 0.3), group('any', 0.4)];
    expect(comparisonVerdict(comparisonOf({}, { groups, replicates: 0 }))).toBe(
      'any has the highest F1 (F1 50.00 at 5% false alarms and mAP 40.00 on validation); no difference is tested without bootstrap replicates.',
    );
    expect(comparisonVerdict(comparisonOf({}, { groups: groups.slice(0, 1) }))).toContain(
      'no other loss to compare it with',
    );
  });
});

test('the verdict of a sweep starts with the recommendation and continues with the recommended value', () => {
  const comparison = comparisonOf({ one: at(held(0.01, 0.005, 0.02)), two: at(held(0.03, 0.02, 0.04)) });
  const points = [0.1, 0.2].map((value, i) => ({ value, metrics: comparison.groups[i + 1]! }));
  const verdict = (value?: number) =>
    sweepVerdict({ reason: 'λ it is', ...(value && { value }) }, points, comparison);
  expect(verdict(0.1)).toMatch(/^λ it is\. one beats bce/);
  expect(verdict()).toContain('two beats bce');
});

test('the verdict of a judgment says how many positives are flagged and how many negatives raise a false alarm', () => {
  // Rows: found, missed, quiet, alarm.
  const scored = {
    scores: Float64Array.of(0.9, 0.1, 0.2, 0.8),
    targets: [1, 1, 0, 0],
    classNames: ['crack'],
  };
  expect(judgmentVerdict(judge(scored, { replicates: 0 }))).toBe(
    'At a threshold of 0.5, the model predicts a class for 50.0% of positives and raises a false alarm for 50.0% of negatives; F1 50.00, mAP 75.00.',
  );
  const negatives = { ...scored, targets: [0, 0, 0, 0] };
  expect(judgmentVerdict(judge(negatives, { replicates: 0 }))).toMatch(
    /^At a threshold of 0\.5, the model raises a false alarm for 50\.0% of negatives; F1 /,
  );
});
