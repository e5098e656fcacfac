import { countRows } from '../metrics/measure.js';
import { measurementAt } from '../metrics/measurement.js';
import { fBeta } from '../metrics/rates.js';
import type { DecisionBudget } from './decision.js';
import type { DecisionSample, RowTotals } from './decisionRows.js';
import type { PromiseUnit } from './guarantee.js';

/** A budget in a form that a search can check. */
export interface Limit {
  /** Whether this many false alarms and missed positives are within the budget; more of either never helps. */
  within(falseAlarms: number, missed: number): boolean;
  /** The minimum F1-Neg, if the budget sets one. */
  readonly leastF1Neg: number | null;
}

/**
 * What the limits of a budget count.
 *
 * @example
 * promiseUnit({ falseAlarms: 0.05 }) // 'image'
 */
export function promiseUnit(budget: DecisionBudget): PromiseUnit {
  return 'per' in budget ? (budget.per ?? 'image') : 'image';
}

/** Checks a budget and fills in defaults: at most 5% false alarms, guaranteed with a confidence of 95%. */
export function checkBudget(budget: DecisionBudget = { falseAlarms: 0.05 }): DecisionBudget {
  if ('f1Neg' in budget) {
    const { f1Neg } = budget;
    if (f1Neg !== 'at 0.5' && !(f1Neg >= 0 && f1Neg <= 1)) {
      throw new RangeError(`budget.f1Neg is ${f1Neg}; expected 0 to 1, or 'at 0.5'`);
    }
    return { f1Neg };
  }
  const { falseAlarms, missed, confidence = 0.95, per } = budget;
  if (!(falseAlarms >= 0 && falseAlarms <= 1)) {
    throw new RangeError(`budget.falseAlarms is ${falseAlarms}; expected a share from 0 to 1`);
  }
  if (confidence !== null && !(confidence > 0 && confidence < 1)) {
    throw new RangeError(`budget.confidence is ${confidence}; expected a number between 0 and 1, or null`);
  }
  if (missed !== undefined && !(missed >= 0 && missed <= 1)) {
    throw new RangeError(`budget.missed is ${missed}; expected a share from 0 to 1`);
  }
  if (per !== undefined && per !== 'image' && per !== 'group') {
    throw new RangeError(`budget.per is ${String(per)}; expected 'image' or 'group'`);
  }
  return {
    falseAlarms,
    ...(missed !== undefined && { missed }),
    confidence,
    ...(per !== undefined && { per }),
  };
}

/** Returns the budget for these rows. */
export function limitOf(budget: DecisionBudget, sample: DecisionSample): Limit {
  const { totals } = sample;
  if ('falseAlarms' in budget) {
    const within = (falseAlarms: number) =>
      falseAlarms === 0 || falseAlarms / totals.negatives <= budget.falseAlarms;
    return { within, leastF1Neg: null };
  }
  const f1Neg = (falseAlarms: number, missed: number) => negativeF1(totals, falseAlarms, missed);
  const least = budget.f1Neg === 'at 0.5' ? f1NegAtHalf(sample) : budget.f1Neg;
  return { within: (falseAlarms, missed) => f1Neg(falseAlarms, missed) >= least, leastF1Neg: least };
}

function f1NegAtHalf({ rows, multiplicities }: DecisionSample): number {
  const half = { presence: 0, thresholds: rows.classNames.map(() => 0.5) };
  return fBeta(countRows(measurementAt(rows, half, undefined), multiplicities).noClass, 1);
}

/** Returns the F1 of 'no class predicted'. */
export function negativeF1({ negatives }: RowTotals, falseAlarms: number, missed: number): number {
  return fBeta(
    { truePositives: negatives - falseAlarms, falsePositives: missed, falseNegatives: falseAlarms },
    1,
  );
}
