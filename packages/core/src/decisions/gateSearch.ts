// The gate within the budget that gives the highest mean F_β.

import type { Multiplicities } from '../metrics/classCounts.js';
import type { Limit } from './budget.js';
import type { DecisionRows, RowTotals } from './decisionRows.js';
import { type SweptGates, sweepClasses, type ThresholdFit } from './gateSweep.js';
import { coarseGates, type Gate, gatesBetween } from './gates.js';
import { sweepOutcomes } from './outcomes.js';

/** What was found: a gate with its thresholds. */
export interface FittedGate {
  readonly gate: Gate;
  /** Infinity for a class that is never predicted. */
  readonly thresholds: Float64Array;
}

// Means that differ by less are the same up to rounding.
const EQUAL_WITHIN = 1e-12;

/**
 * Searches among the coarse gates, then among all distinct presence scores between the neighbors of the best. Of equals the
 * highest gate; undefined where not even a closed gate is within the budget.
 */
export function searchGate(
  rows: DecisionRows,
  multiplicities: Multiplicities,
  totals: RowTotals,
  limit: Limit,
  fit: ThresholdFit,
  floor: Gate | undefined,
): FittedGate | undefined {
  const coarse = coarseGates(rows, multiplicities, totals, floor);
  const swept = sweepClasses(rows, multiplicities, coarse, fit);
  const best = bestWithin(swept, rows, multiplicities, totals, limit);
  if (best === undefined) return undefined;
  const upper = coarse[best - 1] ?? coarse[best]!;
  const lower = coarse[best + 1] ?? coarse[best]!;
  const fine = [
    ...gatesBetween(rows, multiplicities, upper, coarse[best]!),
    coarse[best]!,
    ...gatesBetween(rows, multiplicities, coarse[best]!, lower),
  ];
  const refined = sweepClasses(rows, multiplicities, fine, fit);
  return fittedGate(refined, bestWithin(refined, rows, multiplicities, totals, limit)!);
}

/** One of the swept gates by itself. */
export function fittedGate({ gates, thresholds }: SweptGates, gate: number): FittedGate {
  const classes = thresholds.length / gates.length;
  return { gate: gates[gate]!, thresholds: thresholds.slice(gate * classes, (gate + 1) * classes) };
}

/** Which gate has the highest mean F_β of those within the budget. */
function bestWithin(
  swept: SweptGates,
  rows: DecisionRows,
  multiplicities: Multiplicities,
  totals: RowTotals,
  limit: Limit,
): number | undefined {
  const { gates, macroFBeta } = swept;
  const { falseAlarms, missed } = sweepOutcomes(rows, multiplicities, swept, totals);
  const within = gates.flatMap((_, gate) => (limit.within(falseAlarms[gate]!, missed[gate]!) ? [gate] : []));
  const highest = within.reduce((most, gate) => Math.max(most, macroFBeta[gate]!), 0);
  // Gates run from the highest to the lowest.
  return within.find((gate) => macroFBeta[gate]! >= highest - EQUAL_WITHIN);
}
