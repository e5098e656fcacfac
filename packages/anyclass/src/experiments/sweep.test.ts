import { expect, test } from 'vitest';
import { sweepPanels, sweepSvg } from '../reports/sweepFigures.js';
import type { GroupFigures } from './comparison.js';
import { spreadOf } from './figures.js';
import { recommend, type SweepPoint } from './sweep.js';

function point(value: number | null, f1: number, mAP: number, f1Neg: number): SweepPoint {
  const spread = (mean: number) => spreadOf([mean - 0.01, mean, mean + 0.01]);
  const figures: GroupFigures = {
    dataset: 'pipes',
    network: 'tresnet-m',
    loss: value === null ? 'bce' : 'any-bce',
    lambda: value,
    label: value === null ? 'bce' : `any-bce λ=${value}`,
    seeds: [1, 2, 3],
    folders: [],
    figures: ['macroF1', 'macroF2', 'mAP', 'f1Neg'],
    validation: {
      macroF1: spread(f1),
      macroF2: spread(f1),
      f2Ciw: null,
      mAP: spread(mAP),
      f1Neg: spread(f1Neg),
    },
    test: null,
    fittedTest: null,
    keptTest: null,
    keptThresholds: null,
  };
  return { value, figures };
}

const standard = point(null, 0.4, 0.42, 0.78);

test('recommended is the highest F1 among values that rank no worse and keep the negatives', () => {
  const points = [
    standard,
    point(0, 0.42, 0.43, 0.775),
    point(0.02, 0.44, 0.43, 0.77),
    point(0.2, 0.46, 0.41, 0.78), // ranks worse
    point(1, 0.47, 0.43, 0.76), // costs 2 points of F1-Neg
  ];
  const { value, reason } = recommend(points, 'λ', 0.015);
  expect(value).toBe(0.02);
  expect(reason).toContain('λ = 0.02 has the highest validation F1 (44.00) among the 2 of 4 values');
  expect(reason).toContain('less than 1.5 points below its 78.00');
  expect(recommend(points, 'λ', 0.03).value).toBe(1);
});

test('among equals the smallest value is recommended', () => {
  expect(recommend([standard, point(0, 0.44, 0.43, 0.78), point(1, 0.44, 0.43, 0.78)], 'λ', 0.01).value).toBe(
    0,
  );
});

test('where no value keeps the rule the standard loss stays', () => {
  expect(recommend([standard, point(1, 0.5, 0.3, 0.78)], 'λ', 0.01)).toMatchObject({
    value: null,
    reason: expect.stringContaining('the standard loss stays'),
  });
});

test('where the standard loss failed nothing is recommended, for its mAP and F1-Neg are not known', () => {
  const points = [point(0, 0.42, 0.43, 0.775), point(0.02, 0.44, 0.43, 0.77)];
  const { value, reason } = recommend(points, 'λ', 0.015, [null, 0, 0.02]);
  expect(value).toBeUndefined();
  expect(reason).toContain('No λ is recommended: the standard loss');
});

test('values are ranked over the seeds that all have, and those without a run are named', () => {
  const lucky = point(0.1, 0.45, 0.43, 0.78);
  const { macroF1 } = lucky.figures.validation;
  const incomplete = {
    ...lucky,
    figures: {
      ...lucky.figures,
      seeds: [3],
      validation: { ...lucky.figures.validation, macroF1: spreadOf(macroF1!.values.slice(2)) },
    },
  };
  // Over its own seed 0.1 has an F1 of 0.46, and 0.02 over all of its seeds 0.455: but with seed 3 alone 0.465.
  const points = [standard, point(0.02, 0.455, 0.43, 0.78), incomplete];
  const { value, reason } = recommend(points, 'λ', 0.015, [null, 0.02, 0.1, 0.5]);
  expect(value).toBe(0.02);
  expect(reason).toMatch(/; over the seed 3, which all have; 0\.5 has no finished run$/);
  const apart = { ...incomplete, figures: { ...incomplete.figures, seeds: [4] } };
  expect(recommend([standard, apart], 'λ', 0.015)).toEqual({
    reason: 'No λ is recommended: there is no seed with which all values have a finished run',
  });
});

test('without a standard loss the highest F1 is recommended', () => {
  expect(recommend([point(0.1, 0.4, 0.4, 0.7), point(0.2, 0.5, 0.3, 0.6)], 'rate', 0.01).value).toBe(0.2);
});

test('the figure has two panels, and names the standard loss and every value', () => {
  const points = [standard, ...[0, 0.01, 0.1, 1].map((value) => point(value, 0.42, 0.43, 0.77))];
  const svg = sweepSvg(sweepPanels({ points, title: 'λ' }, 'validation'));
  expect(svg.match(/<svg/g)).toHaveLength(3);
  for (const text of ['>bce<', '>0.01<', '>mAP<', 'F1-Neg against λ, validation'])
    expect(svg).toContain(text);
});
