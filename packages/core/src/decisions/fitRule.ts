// Fits a rule to prepared rows, each of which counts as often as its multiplicity.

import { ROW_NEGATIVE } from '../labels/instancePresence.js';
import type { DecisionRule } from '../metrics/decisionCutoffs.js';
import { quietRank, smallestPromise } from './binomialBounds.js';
import { type Limit, limitOf } from './budget.js';
import type { DecisionBudget, Guarantee } from './decision.js';
import type { DecisionSample, RowTotals } from './decisionRows.js';
import { bestGate, searchGate } from './gateSearch.js';
import { sweepClasses } from './gateSweep.js';
import { CLOSED_GATE, gateAboveNegative } from './gates.js';
import { type HighestScores, highestScores, searchShared } from './sharedSearch.js';
import type { ThresholdFit } from './sweptGates.js';

/** A rule with all its fitting options. */
export interface RuleFit extends ThresholdFit {
  readonly rule: DecisionRule;
  readonly budget: DecisionBudget;
  /** Thresholds for the rule `fixed`, one per class. */
  readonly fixedThresholds: readonly number[];
  /** Whether some rows share a group, which voids every guarantee. */
  readonly isGrouped: boolean;
}

/** A fitted gate and thresholds. */
export interface FittedRule {
  readonly presence: number | null;
  readonly thresholds: readonly (number | null)[];
  readonly limit: Limit;
  readonly guarantee: Guarantee;
  /** Whether nothing at all was within the budget. */
  readonly isImpossible: boolean;
}

/** Fits a rule. */
export function fitRule(sample: DecisionSample, fit: RuleFit): FittedRule {
  const { rows, totals } = sample;
  const limit = limitOf(fit.budget, sample);
  const { rank, guarantee } = promiseOf(fit, totals);
  const fitted = { limit, guarantee, isImpossible: false };
  const nothing = { presence: null, thresholds: rows.classNames.map(() => null) };
  if (fit.rule === 'fixed') return { ...fitted, presence: 0, thresholds: fit.fixedThresholds };
  if (fit.rule === 'class') {
    const { thresholds } = sweepClasses(sample, [{ presence: 0, passing: rows.rows }], fit);
    return { ...fitted, presence: 0, thresholds: jsonThresholds(thresholds) };
  }
  if (fit.rule === 'shared') {
    const threshold = fitShared(sample, limit, fit.beta, rank);
    if (threshold === undefined) return { ...fitted, ...nothing, isImpossible: true };
    if (threshold === Number.POSITIVE_INFINITY) return { ...fitted, ...nothing };
    return { ...fitted, presence: 0, thresholds: rows.classNames.map(() => threshold) };
  }
  // A guarantee would allow higher gates too, but choosing among them overfits (see bench/RESULTS.md).
  const found =
    rank === null
      ? searchGate(sample, limit, fit)
      : bestGate(sample, limit, fit, [CLOSED_GATE, gateAboveNegative(sample, rank)]);
  if (found === undefined) return { ...fitted, ...nothing, isImpossible: true };
  return { ...fitted, presence: found.gate.presence, thresholds: jsonThresholds(found.thresholds) };
}

/** What can be guaranteed, and the rank of the negative whose score must then be exceeded; null for none. */
interface Promised {
  readonly rank: number | null;
  readonly guarantee: Guarantee;
}

function promiseOf({ rule, budget, isGrouped }: RuleFit, { negatives }: RowTotals): Promised {
  if ('f1Neg' in budget || budget.confidence === null || budget.confidence === undefined) {
    return { rank: null, guarantee: { holds: false, reason: 'not requested' } };
  }
  if (rule === 'class' || rule === 'fixed') {
    return { rank: null, guarantee: { holds: false, reason: 'rule has no bound' } };
  }
  const { falseAlarms, confidence } = budget;
  const rank = quietRank(negatives, falseAlarms, 1 - confidence);
  if (rank === null) {
    const smallestRate = smallestPromise(negatives, 1 - confidence);
    return { rank, guarantee: { holds: false, reason: 'too few negatives', smallestRate } };
  }
  // Grouped rows void the guarantee, but the gate is still stricter than the plain budget's.
  if (isGrouped) return { rank, guarantee: { holds: false, reason: 'grouped rows' } };
  return { rank, guarantee: { holds: true, falseAlarms, confidence } };
}

function fitShared(
  sample: DecisionSample,
  limit: Limit,
  beta: number,
  rank: number | null,
): number | undefined {
  const highest = highestScores(sample.rows);
  const floor = rank === null ? Number.NEGATIVE_INFINITY : negativeAt(sample, highest, rank);
  return searchShared(sample, highest, limit, beta, floor);
}

/** Returns the highest probability of the `rank`-th lowest negative. */
function negativeAt(
  { rows, multiplicities }: DecisionSample,
  { highest, byHighest }: HighestScores,
  rank: number,
): number {
  let seen = 0;
  for (let k = byHighest.length - 1; k >= 0; k--) {
    const row = byHighest[k]!;
    if (rows.rowKinds[row] === ROW_NEGATIVE) seen += multiplicities[row]!;
    if (seen >= rank) return highest[row]!;
  }
  return Number.POSITIVE_INFINITY;
}

function jsonThresholds(thresholds: Float64Array): (number | null)[] {
  return Array.from(thresholds, (threshold) => (threshold === Number.POSITIVE_INFINITY ? null : threshold));
}
