// Budgets from costs: what a missed positive and a false alarm cost decides how many false alarms are worth it.

import { budgetForCosts, type FitDecisionOptions, type Scored } from '@anyclass/core';
import { UserError } from '../errors/userError.js';
import type { PricedBudget } from '../events/judgment.js';

/** What mistakes cost, in any unit. */
export interface GivenCosts {
  readonly miss: number;
  readonly alarm: number;
  /** The share of positives where the decision will be used. Default: as in the data of the fit. */
  readonly prevalence?: number | undefined;
}

/** Options with the budget that minimizes the costs, and what is known about it. */
export interface Priced {
  readonly decision: FitDecisionOptions;
  readonly costs: PricedBudget;
}

/**
 * Turns costs into a budget. It is read off the rows that the decision is then fitted on, so its limit is approximate.
 *
 * @example
 * pricedDecision(validation, {}, { miss: 50, alarm: 1 }).costs.falseAlarms // 0.083
 */
export function pricedDecision(
  fitting: Scored,
  decision: FitDecisionOptions,
  { miss, alarm, prevalence }: GivenCosts,
): Priced {
  try {
    const found = budgetForCosts(fitting, { miss, alarm, ...(prevalence !== undefined && { prevalence }) });
    const given = decision.budget && 'falseAlarms' in decision.budget ? decision.budget : {};
    return {
      decision: {
        ...decision,
        budget: { ...given, falseAlarms: found.falseAlarms },
        candidates: 'adaptive',
      },
      costs: { miss, alarm, ...found },
    };
  } catch (error) {
    throw error instanceof RangeError ? new UserError(error.message) : error;
  }
}
