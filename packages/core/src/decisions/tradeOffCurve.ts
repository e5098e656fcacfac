import { metricsAt } from '../metrics/measure.js';
import { type MeasureOptions, prepareMeasurements } from '../metrics/measurement.js';
import type { Metrics } from '../metrics/metrics.js';
import type { Scored } from '../metrics/scored.js';
import type { Decision, DecisionBudget } from './decision.js';
import { prepareDecisionRows, sampleOf } from './decisionRows.js';
import { checkRows, decisionFitter, type FitDecisionOptions, ruleFitOf } from './fitDecision.js';
import { sweepClasses } from './gateSweep.js';
import { coarseGates } from './gates.js';
import { sweepOutcomes } from './outcomes.js';

/** The best result within a budget. */
export interface TradeOffPoint {
  /** The share of negatives with any prediction. */
  readonly falseAlarmRate: number;
  /** The mean F_β over the classes. */
  readonly fBeta: number;
  /** The gate that achieves it; null for a gate that lets nothing pass. */
  readonly presence: number | null;
}

/**
 * Returns what each false-alarm budget achieves: the highest mean F_β of a gate within it, among the gates that
 * `fitDecision` tries first. It is a step curve: a point holds until the next one, and both metrics increase from point
 * to point. It describes the rows that it was fitted on; `judgedCurve` shows what holds on other data.
 *
 * @example
 * const curve = tradeOffCurve(validation);
 * const within = curve.filter(({ falseAlarmRate }) => falseAlarmRate <= 0.05);
 * within.at(-1)?.fBeta // the best within 5%
 */
export function tradeOffCurve(
  scored: Scored,
  options: Pick<FitDecisionOptions, 'beta' | 'kappa'> = {},
): TradeOffPoint[] {
  const sample = sampleOf(prepareDecisionRows(scored));
  const fit = ruleFitOf(sample.rows, options);
  checkRows(sample, fit, scored.split);
  const swept = sweepClasses(sample, coarseGates(sample), fit);
  const { falseAlarms } = sweepOutcomes(sample, swept);
  const points = swept.gates.map(({ presence }, gate) => ({
    falseAlarmRate: falseAlarms[gate]! / sample.totals.negatives,
    fBeta: swept.macroFBeta[gate]!,
    presence,
  }));
  return rising(points);
}

/** A decision fitted within a budget, and its metrics on other data. */
export interface JudgedPoint {
  readonly decision: Decision;
  readonly metrics: Metrics;
}

/**
 * Fits decisions on one split within each budget, and evaluates them on another split.
 *
 * @example
 * const budgets = [0.01, 0.02, 0.05, 0.1].map((falseAlarms) => ({ falseAlarms }));
 * for (const { decision, metrics } of judgedCurve(validation, test, budgets)) {
 *   console.log(decision.budget, metrics.falseAlarmRate, metrics.macroF1);
 * }
 */
export function judgedCurve(
  validation: Scored,
  test: Scored,
  budgets: readonly DecisionBudget[],
  options: Omit<FitDecisionOptions, 'budget'> & Pick<MeasureOptions, 'classImportance'> = {},
): JudgedPoint[] {
  if (budgets.length === 0) return [];
  const { classImportance, ...fitOptions } = options;
  const fit = decisionFitter(validation);
  const decisions = budgets.map((budget) => fit({ ...fitOptions, budget }));
  const settings = prepareMeasurements(
    test,
    decisions,
    classImportance === undefined ? {} : { classImportance },
  );
  const metrics = metricsAt(settings, new Uint16Array(settings[0]!.ranked.rows).fill(1));
  return decisions.map((decision, k) => ({ decision, metrics: metrics[k]! }));
}

/** Keeps the points that no other point with the same or fewer false alarms beats. */
function rising(points: readonly TradeOffPoint[]): TradeOffPoint[] {
  const sorted = [...points].sort((a, b) => a.falseAlarmRate - b.falseAlarmRate || b.fBeta - a.fBeta);
  const kept: TradeOffPoint[] = [];
  for (const point of sorted) if (kept.length === 0 || point.fBeta > kept.at(-1)!.fBeta) kept.push(point);
  return kept;
}
