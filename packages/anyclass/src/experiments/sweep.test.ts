import { expect, test } from 'vitest';
import { decision, promisedDecision } from '../../test/promisedDecision.js';
import { sweepPanels, sweepSvg } from '../reports/sweepCharts.js';
import type { GroupMetrics } from './comparisonResult.js';
import { spreadOf } from './metrics.js';
import { recommend } from './sweep.js';
import type { SweepPoint } from './sweepResult.js';

/** `f1` is at the decision; at 0.5 it is 10 points lower. */
function point(value: number | null, f1: number): SweepPoint {
  const spread = (mean: number) => spreadOf([mean - 0.01, mean, mean + 0.01]);
  const at = (macroF1: number) => ({
    macroF1: spread(macroF1),
    macroF2: spread(macroF1),
    f2Ciw: null,
    mAP: spread(0.43),
    f1Neg: spread(0.78),
    falseAlarmRate: spread(0.05),
  });
  const metrics: GroupMetrics = {
    dataset: 'pipes',
    network: 'tresnet-m',
    loss: value === null ? 'bce' : 'any-bce',
    lambda: value,
    label: value === null ? 'bce' : `any-bce λ=${value}`,
    shortLabel: value === null ? 'bce' : `any-bce λ=${value}`,
    seeds: [1, 2, 3],
    folders: [],
    metrics: ['macroF1', 'macroF2', 'mAP', 'f1Neg'],
    validation: at(f1 - 0.1),
    test: null,
    decided: {
      ...promisedDecision,
      validation: { ...at(f1), presenceAuc: spread(0.8) },
      test: null,
      tradeOff: null,
    },
  };
  return { value, metrics };
}

const standard = point(null, 0.4);

/** The point with only the last seed, where F1 at its decision is `f1`. */
function ofLastSeed({ value, metrics }: SweepPoint, f1: number): SweepPoint {
  const decided = metrics.decided!;
  const validation = { ...decided.validation!, macroF1: spreadOf([f1]) };
  return { value, metrics: { ...metrics, seeds: [3], decided: { ...decided, validation } } };
}

test('the value with the highest F1 at the decision, cross-fitted on validation, is recommended', () => {
  const points = [standard, point(0, 0.42), point(0.02, 0.44), point(1, 0.43)];
  const { value, reason } = recommend(points, 'λ', decision);
  expect(value).toBe(0.02);
  expect(reason).toBe(
    'λ = 0.02 has the highest F1 at 5% false alarms (44.00, cross-fitted on validation) of 3 values and bce',
  );
});

test('a better F1 at 0.5 or on test does not count', () => {
  const lucky = point(1, 0.41);
  const decided = { ...lucky.metrics.decided!, test: point(1, 0.9).metrics.decided!.validation };
  const { validation } = point(1, 0.9).metrics;
  const shiny = { value: 1, metrics: { ...lucky.metrics, validation, decided } };
  expect(recommend([standard, point(0.02, 0.44), shiny], 'λ', decision).value).toBe(0.02);
});

test('ties go to the smallest value', () => {
  expect(recommend([standard, point(0, 0.44), point(1, 0.44)], 'λ', decision).value).toBe(0);
});

test('the standard loss is kept if no value beats it', () => {
  for (const f1 of [0.39, 0.4]) {
    expect(recommend([standard, point(1, f1)], 'λ', decision)).toMatchObject({
      value: null,
      reason: expect.stringContaining('No λ beats bce on F1 at 5% false alarms (40.00'),
    });
  }
});

test('nothing is recommended if the standard loss failed', () => {
  const { value, reason } = recommend([point(0, 0.42), point(0.02, 0.44)], 'λ', decision, [null, 0, 0.02]);
  expect(value).toBeUndefined();
  expect(reason).toContain('No λ is recommended: the standard loss');
});

test('nothing is recommended if a value has no decision on validation', () => {
  const { value, metrics } = point(0.02, 0.44);
  const undecided = { value, metrics: { ...metrics, decided: null } };
  expect(recommend([standard, undecided], 'λ', decision)).toEqual({
    reason: expect.stringContaining('No λ is recommended: any-bce λ=0.02'),
  });
});

test('values are ranked over the seeds that all share, and those without a finished run are named', () => {
  // λ = 0.1 has an F1 of 0.46 over its only seed, and 0.02 one of 0.455 over all of its seeds, but 0.465 with
  // seed 3 alone.
  const incomplete = ofLastSeed(point(0.1, 0.45), 0.46);
  const points = [standard, point(0.02, 0.455), incomplete];
  const { value, reason } = recommend(points, 'λ', decision, [null, 0.02, 0.1, 0.5]);
  expect(value).toBe(0.02);
  expect(reason).toMatch(/; over seed 3, shared by all values; 0\.5 has no finished run$/);
  const apart = { ...incomplete, metrics: { ...incomplete.metrics, seeds: [4] } };
  expect(recommend([standard, apart], 'λ', decision)).toEqual({
    reason: 'No λ is recommended: no seed has a finished run for all values',
  });
});

test('without a standard loss the highest F1 is recommended', () => {
  expect(recommend([point(0.1, 0.4), point(0.2, 0.5)], 'rate', decision).value).toBe(0.2);
});

test('the chart has two panels, and names the standard loss and every value', () => {
  const points = [standard, ...[0, 0.01, 0.1, 1].map((value) => point(value, 0.42))];
  const svg = sweepSvg(sweepPanels({ points, title: 'λ' }, 'validation'));
  expect(svg.match(/class="chart"/g)).toHaveLength(2);
  for (const text of ['>bce<', '>0.01<', '>mAP<', 'F1-Neg against λ, validation', '>F1-Neg, validation, %<'])
    expect(svg).toContain(text);
  // Every line says what it was measured at, in full.
  for (const text of [
    '>F1 at 5% false alarms<',
    '>F1 at 0.5<',
    '>F2 at 0.5<',
    '>at 5% false alarms<',
    '>at 0.5<',
  ])
    expect(svg).toContain(text);
});
