// Finds the gate within the budget with the highest mean F_β.

import type { Limit } from './budget.js';
import type { DecisionSample } from './decisionRows.js';
import { sweepClasses } from './gateSweep.js';
import { coarseGates, type Gate, gatesBetween } from './gates.js';
import { sweepOutcomes } from './outcomes.js';
import type { ThresholdFit } from './sweptGates.js';

/** A gate with its thresholds. */
export interface FittedGate {
  readonly gate: Gate;
  /** Its index among the gates that were tried. */
  readonly index: number;
  /** Infinity for a class that is never predicted. */
  readonly thresholds: Float64Array;
}

// Means that differ by less count as equal.
const EQUAL_WITHIN = 1e-12;

/**
 * Searches the coarse gates, then all distinct presence scores between the neighbors of the best. Among equals, returns
 * the highest gate; undefined if not even a closed gate is within the budget.
 */
export function searchGate(sample: DecisionSample, limit: Limit, fit: ThresholdFit): FittedGate | undefined {
  const coarse = coarseGates(sample);
  const best = bestGate(sample, limit, fit, coarse);
  if (best === undefined) return undefined;
  const { index, gate } = best;
  const fine = [
    ...gatesBetween(sample, coarse[index - 1] ?? gate, gate),
    gate,
    ...gatesBetween(sample, gate, coarse[index + 1] ?? gate),
  ];
  return bestGate(sample, limit, fit, fine);
}

/**
 * Returns the gate within the budget with the highest mean F_β; among equals the first, which is the highest. Without a limit every
 * gate is, and the rows need not be counted.
 */
export function bestGate(
  sample: DecisionSample,
  limit: Limit | undefined,
  fit: ThresholdFit,
  gates: readonly Gate[],
): FittedGate | undefined {
  const { thresholds, macroFBeta } = sweepClasses(sample, gates, fit);
  const counted = limit && sweepOutcomes(sample, { gates, thresholds });
  const isWithin = (gate: number) =>
    !limit || !counted || limit.within(counted.falseAlarms[gate]!, counted.missed[gate]!);
  const within = gates.flatMap((_, gate) => (isWithin(gate) ? [gate] : []));
  const highest = within.reduce((most, gate) => Math.max(most, macroFBeta[gate]!), 0);
  const index = within.find((gate) => macroFBeta[gate]! >= highest - EQUAL_WITHIN);
  if (index === undefined) return undefined;
  const classes = sample.rows.classNames.length;
  return {
    gate: gates[index]!,
    index,
    thresholds: thresholds.slice(index * classes, (index + 1) * classes),
  };
}
