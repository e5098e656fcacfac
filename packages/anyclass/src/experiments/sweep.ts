// What a sweep found, and which value it recommends.

import type { PaperFigure } from '@anyclass/core';
import { resultFields } from '../configuration/dottedFields.js';
import { isAnyClass } from '../losses/lossNames.js';
import { percent } from '../tables/percent.js';
import type { Comparison, GroupFigures } from './comparison.js';
import type { PlannedRun } from './plan.js';
import type { SweptField } from './sweepPlan.js';
import type { ValueDifference } from './valueDifferences.js';

/** One value of the field; null is the standard loss. */
export interface SweepPoint {
  readonly value: number | null;
  readonly figures: GroupFigures;
}

/** Plain JSON. */
export interface Sweep {
  /** What was found, in sentences. */
  readonly verdict: string;
  readonly field: string;
  readonly title: string;
  /** The standard loss first, where there is one, then by rising value. */
  readonly points: readonly SweepPoint[];
  readonly recommendation: Recommendation;
  readonly comparison: Comparison;
}

export interface Recommendation {
  /**
   * Null: the standard loss, for no value keeps the rule. Left out where runs are missing without which nothing can be said, and
   * where the choice does not matter.
   */
  readonly value?: number | null;
  readonly reason: string;
  /** Whether the value's F1 differs from that of any other; left out where that was not tested. */
  readonly matters?: boolean;
  /** To every other value. */
  readonly differences?: readonly ValueDifference[];
}

/** The points of a sweep, from its comparison and the plan that its runs came from. */
export function sweepPoints(
  { field }: SweptField,
  { groups }: Comparison,
  plan: readonly PlannedRun[],
): SweepPoint[] {
  return groups
    .map((figures) => ({
      value: plannedValue(field, plan.find(({ folder }) => folder === figures.folders[0])!, plan),
      figures,
    }))
    .sort((a, b) => (a.value ?? Number.NEGATIVE_INFINITY) - (b.value ?? Number.NEGATIVE_INFINITY));
}

/** All values that a sweep was to try, also those whose runs failed; null is the standard loss. */
export function plannedValues({ field }: SweptField, plan: readonly PlannedRun[]): (number | null)[] {
  return [...new Set(plan.map((run) => plannedValue(field, run, plan)))];
}

function plannedValue(
  field: string,
  { configuration }: PlannedRun,
  plan: readonly PlannedRun[],
): number | null {
  const isBeside = plan.some((other) => isAnyClass(other.configuration.loss.name));
  const isStandard = isBeside && !isAnyClass(configuration.loss.name);
  return isStandard ? null : Number(resultFields(configuration).get(field));
}

/**
 * The value to take, by validation alone: the highest F1 among values whose mAP is not below the standard loss's and whose
 * F1-Neg is less than `mostDrop` (a share) below it.
 *
 * F1 at 0.5 is what the any-class losses are for: a standard loss on mostly negative data ranks well and predicts little. A
 * value that raises it by predicting more everywhere would show in F1-Neg, one that ranks worse in mAP: hence both guards.
 * Figures are means over the seeds that all have, for a lucky one must not count on one side alone; among equals the smallest
 * value. Of the values `planned`, those without a finished run are named; without the standard loss nothing is recommended.
 *
 * @example
 * recommend(points, 'λ', 0.015) // { value: 0.02, reason: 'λ = 0.02 has the highest validation F1 (43.85) among …' }
 */
export function recommend(
  points: readonly SweepPoint[],
  title: string,
  mostDrop: number,
  planned: readonly (number | null)[] = points.map(({ value }) => value),
): Recommendation {
  const missing = planned.filter((value) => !points.some((point) => point.value === value));
  if (missing.includes(null)) {
    return {
      reason: `No ${title} is recommended: the standard loss, whose mAP and F1-Neg a value must keep, has no finished run`,
    };
  }
  const seeds = sharedSeeds(points);
  if (seeds.length === 0)
    return {
      reason: `No ${title} is recommended: there is no seed with which all values have a finished run`,
    };
  const of = ({ figures }: SweepPoint, figure: PaperFigure) => meanOver(seeds, figures, figure);
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
  const remarks = [
    ...(points.some(({ figures }) => figures.seeds.length > seeds.length)
      ? [`; over the ${seeds.length === 1 ? 'seed' : 'seeds'} ${seeds.join(', ')}, which all have`]
      : []),
    ...(missing.length > 0
      ? [`; ${missing.join(', ')} ${missing.length === 1 ? 'has' : 'have'} no finished run`]
      : []),
  ].join('');
  if (!first)
    return { value: null, reason: `No ${title} was found ${rule}: the standard loss stays${remarks}` };
  const best = rest.reduce((a, b) => (of(b, 'macroF1') > of(a, 'macroF1') ? b : a), first);
  return {
    value: best.value,
    reason: `${title} = ${best.value} has the highest validation F1 (${percent(of(best, 'macroF1'))}) among the ${allowed.length} of ${candidates.length} values ${rule}${remarks}`,
  };
}

/** The seeds with which all points have a run. */
export function sharedSeeds(points: readonly SweepPoint[]): number[] {
  const [first, ...others] = points.map(({ figures }) => figures.seeds);
  return (first ?? []).filter((seed) => others.every((seeds) => seeds.includes(seed)));
}

function meanOver(
  seeds: readonly number[],
  { seeds: own, validation }: GroupFigures,
  figure: PaperFigure,
): number {
  const spread = validation[figure];
  if (!spread) return Number.NEGATIVE_INFINITY;
  if (seeds.length === own.length) return spread.mean;
  return seeds.reduce((sum, seed) => sum + spread.values[own.indexOf(seed)]!, 0) / seeds.length;
}
