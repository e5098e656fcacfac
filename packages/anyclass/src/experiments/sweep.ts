// The results of a sweep, and which value it recommends.

import { resultFields } from '../configuration/dottedFields.js';
import { isAnyClass } from '../losses/lossNames.js';
import { percent } from '../tables/percent.js';
import type { Comparison, GroupMetrics } from './comparisonResult.js';
import { type DecisionChoice, decisionPhrase } from './decisionText.js';
import type { PlannedRun } from './plannedRun.js';
import type { SweptField } from './sweepPlan.js';
import type { Recommendation, SweepPoint } from './sweepResult.js';

/** Returns the points of a sweep, from its comparison and the plan of its runs. */
export function sweepPoints(
  { field }: SweptField,
  { groups }: Comparison,
  plan: readonly PlannedRun[],
): SweepPoint[] {
  return groups
    .map((metrics) => ({
      value: plannedValue(field, plan.find(({ folder }) => folder === metrics.folders[0])!, plan),
      metrics,
    }))
    .sort((a, b) => (a.value ?? Number.NEGATIVE_INFINITY) - (b.value ?? Number.NEGATIVE_INFINITY));
}

/** All values that a sweep planned to try, including those whose runs failed; null is the standard loss. */
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
 * Recommends a value by validation alone: the one with the highest F1 at its decision, where each image is
 * decided by a decision fitted without it. All values have the same false-alarm budget, so none can win by
 * predicting more.
 *
 * F1 is the mean over the seeds that all values share, because a lucky seed must not count for one value
 * alone. Ties go to the standard loss, then to the smallest value. The reason names `planned` values without
 * a finished run; without the standard loss nothing is recommended.
 *
 * @example
 * recommend(points, 'λ', comparison.decision)
 * // { value: 0.02, reason: 'λ = 0.02 has the highest F1 at 5% false alarms (43.85, cross-fitted on validation) of 8 values and bce' }
 */
export function recommend(
  points: readonly SweepPoint[],
  title: string,
  decision: DecisionChoice,
  planned: readonly (number | null)[] = points.map(({ value }) => value),
): Recommendation {
  const none = (why: string) => ({ reason: `No ${title} is recommended: ${why}` });
  const missing = planned.filter((value) => !points.some((point) => point.value === value));
  if (missing.includes(null)) return none('the standard loss, which a value must beat, has no finished run');
  const seeds = sharedSeeds(points);
  if (seeds.length === 0) return none('no seed has a finished run for all values');
  const undecided = points.find(({ metrics }) => !metrics.decided?.validation?.macroF1);
  if (undecided) {
    return none(`${undecided.metrics.label} has too few validation instances to cross-fit a decision`);
  }
  const remarks = [
    ...(points.some(({ metrics }) => metrics.seeds.length > seeds.length)
      ? [`; over ${seeds.length === 1 ? 'seed' : 'seeds'} ${seeds.join(', ')}, shared by all values`]
      : []),
    ...(missing.length > 0
      ? [`; ${missing.join(', ')} ${missing.length === 1 ? 'has' : 'have'} no finished run`]
      : []),
  ].join('');
  const f1 = ({ metrics }: SweepPoint) => meanF1(seeds, metrics);
  const best = points.reduce((a, b) => (f1(b) > f1(a) ? b : a));
  const where = decisionPhrase(decision);
  const metric = `${percent(f1(best))}, cross-fitted on validation`;
  if (best.value === null) {
    const reason = `No ${title} beats ${best.metrics.label} on F1 ${where} (${metric}); keep the standard loss${remarks}`;
    return { value: null, reason };
  }
  const standard = points.find(({ value }) => value === null);
  const rivals = `${points.length - (standard ? 1 : 0)} values${standard ? ` and ${standard.metrics.label}` : ''}`;
  const reason = `${title} = ${best.value} has the highest F1 ${where} (${metric}) of ${rivals}${remarks}`;
  return { value: best.value, reason };
}

/** The seeds for which every point has a run. */
export function sharedSeeds(points: readonly SweepPoint[]): number[] {
  const [first, ...others] = points.map(({ metrics }) => metrics.seeds);
  return (first ?? []).filter((seed) => others.every((seeds) => seeds.includes(seed)));
}

function meanF1(seeds: readonly number[], { seeds: own, decided }: GroupMetrics): number {
  const spread = decided?.validation?.macroF1;
  if (!spread) return Number.NEGATIVE_INFINITY;
  if (seeds.length === own.length) return spread.mean;
  return seeds.reduce((sum, seed) => sum + spread.values[own.indexOf(seed)]!, 0) / seeds.length;
}
