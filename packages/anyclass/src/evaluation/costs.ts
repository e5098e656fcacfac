// Budgets from costs: what a missed positive and a false alarm cost decides how many false alarms are worth it.

import { budgetForCosts, type Scored } from '@anyclass/core';
import { UserError } from '../errors/userError.js';
import type { PricedBudget } from '../events/judgment.js';
import type { DecisionChange } from '../inference/changedDecision.js';

/** What mistakes cost, in any unit. */
export interface GivenCosts {
  readonly miss: number;
  readonly alarm: number;
  /** The share of positives where the decision will be used. Default: as in the data of the fit. */
  readonly prevalence?: number | undefined;
}

/** Options with the budget that minimizes the costs, and what is known about it. */
export interface Priced {
  readonly decision: DecisionChange;
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
  decision: DecisionChange,
  { miss, alarm, prevalence }: GivenCosts,
): Priced {
  try {
    const found = budgetForCosts(fitting, { miss, alarm, ...(prevalence !== undefined && { prevalence }) });
    const { budget: given, ...rest } = decision;
    const { confidence, missed } = given && !('f1Neg' in given) ? given : {};
    return {
      decision: {
        ...rest,
        budget: {
          falseAlarms: found.falseAlarms,
          // Costs count images, also where the model's own limits count whole groups.
          per: 'image',
          ...(confidence !== undefined && { confidence }),
          // The costs know two outcomes; a third one only if it is asked for.
          missed,
        },
        candidates: 'adaptive',
      },
      costs: { miss, alarm, ...found },
    };
  } catch (error) {
    throw error instanceof RangeError ? new UserError(error.message) : error;
  }
}
