import { expect, test } from 'vitest';
import { promisedDecision } from '../../test/promisedDecision.js';
import type { GroupMetrics } from '../experiments/comparisonResult.js';
import { spreadOf } from '../experiments/metrics.js';
import { tradeOffChart } from './tradeOffChart.js';

function group(label: string, ...curves: readonly (readonly [falseAlarms: number, f1: number][])[]) {
  const spread = (point: number, of: 0 | 1) => spreadOf(curves.map((curve) => curve[point]![of]))!;
  const metrics = {
    macroF1: null,
    macroF2: null,
    f2Ciw: null,
    mAP: null,
    f1Neg: null,
    falseAlarmRate: null,
  };
  const made: GroupMetrics = {
    dataset: 'pipes',
    network: 'tresnet-m',
    loss: 'bce',
    lambda: null,
    label,
    shortLabel: label,
    seeds: curves.map((_, seed) => seed),
    folders: [],
    metrics: ['macroF1'],
    validation: metrics,
    test: metrics,
    decided: {
      ...promisedDecision,
      validation: null,
      test: null,
      tradeOff:
        curves.length === 0
          ? null
          : [0.01, 0.05].map((budget, point) => ({
              budget,
              falseAlarmRate: spread(point, 0),
              macroF1: spread(point, 1),
            })),
    },
  };
  return made;
}

const one = group('bce', [
  [0.01, 0.2],
  [0.05, 0.3],
]);
const two = group(
  'any-bce',
  [
    [0.01, 0.3],
    [0.04, 0.4],
  ],
  [
    [0.03, 0.34],
    [0.06, 0.42],
  ],
);

test('each point is the mean over seeds of F1 and of the measured false alarms', () => {
  const { svg, title } = tradeOffChart('pipes', [one, two])!;
  expect(title).toBe('pipes: F1 against false alarms on test');
  for (const label of [
    'bce, false alarms seen on test, % of negatives 1: 20',
    'any-bce, false alarms seen on test, % of negatives 2: 32 (30 to 34)',
    'any-bce, false alarms seen on test, % of negatives 5: 41 (40 to 42)',
  ])
    expect(svg).toContain(`data-label="${label}"`);
  expect(svg).not.toMatch(/NaN|undefined/);
});

test('several seeds have a band; a single one has none', () => {
  const bands = (groups: readonly GroupMetrics[]) =>
    tradeOffChart('pipes', groups)!.svg.match(/class="band"/g)?.length ?? 0;
  expect(bands([one])).toBe(0);
  expect(bands([one, two])).toBe(1);
});

test('the compared decision is a large dot at its own F1 and false alarms on test', () => {
  const rates = { falseAlarmRate: spreadOf([0.02])!, macroF1: spreadOf([0.25])! };
  const unknown = { macroF2: null, f2Ciw: null, mAP: null, f1Neg: null, presenceAuc: null };
  const decided = { ...one.decided!, test: { ...unknown, ...rates } };
  const { svg } = tradeOffChart('pipes', [{ ...one, decided }])!;
  expect(svg).toContain('data-label="bce, chosen, false alarms seen on test, % of negatives 2: 25"');
  expect(tradeOffChart('pipes', [one])!.svg).not.toContain('chosen');
});

test('without a labeled test split, there is no chart', () => {
  expect(tradeOffChart('pipes', [group('bce')])).toBeUndefined();
});
