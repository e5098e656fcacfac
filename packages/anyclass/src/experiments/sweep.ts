// What a sweep found, and which value it recommends.

import type { PaperFigure } from '@anyclass/core';
import { resultFields } from '../configuration/dottedFields.js';
import { isAnyClass } from '../losses/lossNames.js';
import type { Comparison, GroupFigures } from './comparison.js';
import type { PlannedRun } from './plan.js';
import type { SweptField } from './sweepPlan.js';

/** One value of the field; null is the standard loss. */
export interface SweepPoint {
  readonly value: number | null;
  readonly figures: GroupFigures;
}

/** Plain JSON. */
export interface Sweep {
  readonly field: string;
  readonly title: string;
  /** The standard loss first, where there is one, then by rising value. */
  readonly points: readonly SweepPoint[];
  readonly recommendation: Recommendation;
  readonly comparison: Comparison;
}

export interface Recommendation {
  /** Null: the standard loss, for no value keeps the rule. */
  readonly value: number | null;
  readonly reason: string;
}

/** The points of a sweep, from its comparison and the plan that its runs came from. */
export function sweepPoints(
  { field }: SweptField,
  { groups }: Comparison,
  plan: readonly PlannedRun[],
): SweepPoint[] {
  const isBeside = plan.some(({ configuration }) => isAnyClass(configuration.loss.name));
  return groups
    .map((figures) => {
      const planned = plan.find(({ folder }) => folder === figures.folders[0])!;
      const isStandard = isBeside && !isAnyClass(figures.loss);
      const value = Number(resultFields(planned.configuration).get(field));
      return { value: isStandard ? null : value, figures };
    })
    .sort((a, b) => (a.value ?? Number.NEGATIVE_INFINITY) - (b.value ?? Number.NEGATIVE_INFINITY));
}

/**
 * The value to take, by validation alone: the highest F1 among values whose mAP is not below the standard loss's and whose
 * F1-Neg is less than `mostDrop` (a share) below it.
 *
 * F1 at 0.5 is what the any-class losses are for: a standard loss on mostly negative data ranks well and predicts little. A
 * value that raises it by predicting more everywhere would show in F1-Neg, one that ranks worse in mAP: hence both guards.
 * Figures are means over seeds; among equals the smallest value.
 *
 * @example
 * recommend(points, 'λ', 0.015) // { value: 0.02, reason: 'λ = 0.02 has the highest validation F1 (43.85) among …' }
 */
export function recommend(points: readonly SweepPoint[], title: string, mostDrop: number): Recommendation {
  const of = ({ figures }: SweepPoint, figure: PaperFigure) =>
    figures.validation[figure]?.mean ?? Number.NEGATIVE_INFINITY;
  const standard = points.find(({ value }) => value === null);
  const candidates = points.filter(({ value }) => value !== null);
  const allowed = candidates.filter(
    (point) =>
      standard === undefined ||
      (of(point, 'mAP') >= of(standard, 'mAP') && of(standard, 'f1Neg') - of(point, 'f1Neg') < mostDrop),
  );
  const rule = standard
    ? `whose validation mAP is not below that of ${standard.figures.label} (${percent(of(standard, 'mAP'))}) and whose F1-Neg is less than ${(100 * mostDrop).toFixed(1)} points below its ${percent(of(standard, 'f1Neg'))}`
    : 'that were tried';
  const [first, ...rest] = allowed;
  if (!first) return { value: null, reason: `no ${title} was found ${rule}: the standard loss stays` };
  const best = rest.reduce((a, b) => (of(b, 'macroF1') > of(a, 'macroF1') ? b : a), first);
  return {
    value: best.value,
    reason: `${title} = ${best.value} has the highest validation F1 (${percent(of(best, 'macroF1'))}) among the ${allowed.length} of ${candidates.length} values ${rule}`,
  };
}

function percent(share: number): string {
  return (100 * share).toFixed(2);
}
