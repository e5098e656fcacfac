// Budgets as handles set them.

import type { Decision } from '@anyclass/core';
import type { Budget, FitSettings } from './messages.js';

const leastBudget = 0.001;
/** The largest that handles set. */
export const mostBudget = 0.3;

/**
 * Rounds a share to what a person would choose: a tenth of a percent, below 1% half of that.
 *
 * @example
 * roundShare(0.01234) // 0.012
 */
export function roundShare(share: number): number {
  const step = share < 0.01 ? 0.0005 : 0.001;
  return Number(Math.max(leastBudget, Math.min(mostBudget, Math.round(share / step) * step)).toFixed(4));
}

/** The budget that a decision was saved with; 5% if it had another kind of budget. */
export function budgetOf({ budget }: Pick<Decision, 'budget'>): Budget {
  return 'falseAlarms' in budget
    ? { falseAlarms: budget.falseAlarms, missed: budget.missed ?? null }
    : { falseAlarms: 0.05, missed: null };
}

/** How decisions are fitted that stand beside a saved one: as `refit` does, but handles choose among more than can be counted. */
export function settingsOf({ budget, beta, kappa, rule }: Decision): FitSettings {
  const { confidence = 0.95, per } = 'falseAlarms' in budget ? budget : {};
  return { beta, ...(rule === 'gate' && { kappa }), candidates: 'adaptive', confidence, ...(per && { per }) };
}

/** Budgets of the curve: denser where they are small. */
export const curveBudgets: readonly number[] = [
  ...Array.from({ length: 9 }, (_, i) => roundShare(0.002 + 0.001 * i)),
  ...Array.from({ length: 20 }, (_, i) => roundShare(0.0125 + 0.0075 * i)),
  ...Array.from({ length: 7 }, (_, i) => roundShare(0.18 + 0.02 * i)),
];

/** The name of a file that a decision is saved to, if the user chooses no other. */
export function defaultName({ falseAlarms, missed }: Budget, taken: readonly string[]): string {
  const percent = (share: number) => String(Number((100 * share).toFixed(2)));
  const name = `alarms-${percent(falseAlarms)}${missed === null ? '' : `-missed-${percent(missed)}`}`;
  for (let count = 1; ; count++) {
    const candidate = count === 1 ? name : `${name}-${count}`;
    if (!taken.includes(candidate)) return candidate;
  }
}
