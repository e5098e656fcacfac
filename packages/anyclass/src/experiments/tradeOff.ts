// F1 against false alarms: F1 on test, at decisions fitted on validation within several budgets.

import { judgedCurve, presenceOfRows, ROW_NEGATIVE, type Scored } from '@anyclass/core';
import type { DecisionChoice } from './decisionText.js';
import { type Spread, spreadOf } from './metrics.js';

/** A run's metrics on test, with its decision fitted within a budget. */
export interface TradeOff {
  readonly budget: number;
  readonly falseAlarmRate: number;
  readonly macroF1: number;
}

/** The trade-off over the runs of a group. */
export interface TradeOffSpread {
  readonly budget: number;
  readonly falseAlarmRate: Spread;
  readonly macroF1: Spread;
}

const budgets = [0.005, 0.01, 0.02, 0.03, 0.05, 0.075, 0.1, 0.15, 0.2] as const;

/**
 * Returns a run's trade-off; undefined without negatives in both splits. The budgets come without a
 * guarantee: the curve shows the measured false alarms, and a guarantee, which small budgets cannot have,
 * would bend it.
 */
export function tradeOffOf(
  validation: Scored,
  test: Scored,
  { rule, beta }: Pick<DecisionChoice, 'rule' | 'beta'>,
): TradeOff[] | undefined {
  if (![validation, test].every(hasNegative)) return undefined;
  const curve = judgedCurve(
    validation,
    test,
    budgets.map((falseAlarms) => ({ falseAlarms, confidence: null })),
    // The other rules do not use a budget.
    { rule: rule === 'shared' ? 'shared' : 'gate', beta },
  );
  return curve.flatMap(({ metrics: { falseAlarmRate, macroF1 } }, i) =>
    falseAlarmRate === null ? [] : [{ budget: budgets[i]!, falseAlarmRate, macroF1 }],
  );
}

/** The mean and spread over runs, budget by budget; null if a run has no trade-off. */
export function tradeOffSpread(
  runs: readonly (readonly TradeOff[] | undefined)[],
): readonly TradeOffSpread[] | null {
  const curves = runs.filter((curve) => curve !== undefined);
  if (curves.length < runs.length) return null;
  return budgets.flatMap((budget, i) => {
    const falseAlarmRate = spreadOf(curves.map((curve) => curve[i]?.falseAlarmRate ?? null));
    const macroF1 = spreadOf(curves.map((curve) => curve[i]?.macroF1 ?? null));
    return falseAlarmRate && macroF1 ? [{ budget, falseAlarmRate, macroF1 }] : [];
  });
}

function hasNegative({ targets, classNames }: Scored): boolean {
  return presenceOfRows(targets, classNames.length).includes(ROW_NEGATIVE);
}
