import { metricsAt } from '../metrics/measure.js';
import { type MeasureOptions, prepareMeasurements } from '../metrics/measurement.js';
import type { Metrics } from '../metrics/metrics.js';
import type { Scored } from '../metrics/scored.js';
import type { Decision, DecisionBudget } from './decision.js';
import { decisionFitter, type FitDecisionOptions } from './fitDecision.js';

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
