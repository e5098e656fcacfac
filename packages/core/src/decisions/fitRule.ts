// Fits a rule to prepared rows, each of which counts as often as its multiplicity.

import type { DecisionRule } from '../metrics/decisionCutoffs.js';
import { type Limit, limitOf } from './budget.js';
import type { DecisionBudget, FalseAlarmBudget } from './decision.js';
import type { DecisionSample } from './decisionRows.js';
import { bestGate, type FittedGate, searchGate } from './gateSearch.js';
import { sweepClasses } from './gateSweep.js';
import { CLOSED_GATE, gateAbove, gateAt, gatesBetween } from './gates.js';
import { type Candidates, type Guarantee, guaranteedLimit, keptLimit, type Limited } from './guarantee.js';
import type { CountedInstances } from './instances.js';
import { highestScores, searchShared } from './sharedSearch.js';
import type { ThresholdFit } from './sweptGates.js';

/** A rule with all its fitting options. */
export interface RuleFit extends ThresholdFit {
  readonly rule: DecisionRule;
  readonly budget: DecisionBudget;
  readonly candidates: Candidates;
  /** Thresholds for the rule `fixed`, one per class. */
  readonly fixedThresholds: readonly number[];
  /** What promises count, ordered by the score that the rule bounds. */
  readonly instances: CountedInstances;
}

/** A fitted gate and thresholds. */
export interface FittedRule {
  readonly rule: DecisionRule;
  readonly presence: number | null;
  readonly clear: number | null;
  readonly thresholds: readonly (number | null)[];
  readonly limit: Limit;
  /** What is promised about false alarms, and about missed positives if the budget limits them. */
  readonly guarantee: Guarantee;
  readonly missedGuarantee: Guarantee | null;
  /** Whether nothing at all was within the budget. */
  readonly isImpossible: boolean;
  /** Whether the score that rows are compared with keeps the limit on false alarms by itself, whatever the thresholds. */
  readonly isKept: boolean;
}

/** Fits a rule. */
export function fitRule(sample: DecisionSample, fit: RuleFit): FittedRule {
  const { rows } = sample;
  const limit = limitOf(fit.budget, sample);
  const above = alarmLimit(fit, sample);
  const { guarantee } = above;
  // Below this score no gate is within the budget; null where only labels are counted.
  const least = above.score ?? keptAlarmLimit(fit, sample);
  const fitted = {
    rule: fit.rule,
    limit,
    guarantee,
    clear: null,
    missedGuarantee: null,
    isImpossible: false,
    isKept: least !== null,
  };
  const nothing = { presence: null, thresholds: rows.classNames.map(() => null) };
  if (fit.rule === 'fixed') return { ...fitted, presence: 0, thresholds: fit.fixedThresholds };
  if (fit.rule === 'class') {
    const { thresholds } = sweepClasses(sample, [{ presence: 0, passing: rows.rows }], fit);
    return { ...fitted, presence: 0, thresholds: jsonThresholds(thresholds) };
  }
  if (fit.rule === 'shared') {
    const floor = least ?? Number.NEGATIVE_INFINITY;
    const kept = least === null ? limit : unlimited(limit);
    const threshold = searchShared(sample, highestScores(rows), kept, fit.beta, floor);
    if (threshold === undefined) return { ...fitted, ...nothing, isImpossible: true };
    if (threshold === Number.POSITIVE_INFINITY) return { ...fitted, ...nothing };
    return { ...fitted, presence: 0, thresholds: rows.classNames.map(() => threshold) };
  }
  // A guarantee would allow higher gates too, but choosing among them overfits (see bench/RESULTS.md).
  const found =
    least === null
      ? searchGate(sample, limit, fit)
      : bestGate(sample, undefined, fit, [CLOSED_GATE, gateAbove(rows, least)]);
  const missed = 'missed' in fit.budget ? clearLimit(fit, fit.budget, sample) : undefined;
  const clear = missed?.score ?? null;
  const triage = { clear, missedGuarantee: missed?.guarantee ?? null };
  if (found === undefined) return { ...fitted, ...nothing, ...triage, isImpossible: true };
  const gate = clear === null ? found : withoutReview(sample, fit, found, clear);
  const { presence } = gate.gate;
  return {
    ...fitted,
    ...triage,
    presence,
    // A closed gate leaves every row that is not cleared to review.
    clear: clear !== null && presence !== null ? Math.min(clear, presence) : clear,
    thresholds: jsonThresholds(gate.thresholds),
  };
}

/** Returns the score that the budget's negatives must not exceed on new data; none if that is not promised. */
function alarmLimit({ rule, budget, candidates, instances }: RuleFit, sample: DecisionSample): Limited {
  if ('f1Neg' in budget || budget.confidence === null || budget.confidence === undefined) {
    return { score: null, guarantee: { holds: false, reason: 'not requested' } };
  }
  if (rule === 'class' || rule === 'fixed') {
    return { score: null, guarantee: { holds: false, reason: 'rule has no bound' } };
  }
  const { falseAlarms: rate, confidence, per: unit = 'image' } = budget;
  return guaranteedLimit(instances.negatives, sample.multiplicities, { rate, confidence, candidates, unit });
}

/**
 * Returns the score that at most the budget's share of these negatives exceed, where that is not promised, but rows without a label
 * count too: in triage, where an alarm is one with or without a label, and for whole groups. Null for other budgets.
 */
function keptAlarmLimit(
  { rule, budget, instances }: RuleFit,
  { multiplicities }: DecisionSample,
): number | null {
  if ('f1Neg' in budget || rule === 'class' || rule === 'fixed') return null;
  if (budget.missed === undefined && budget.per !== 'group') return null;
  return keptLimit(instances.kept.negatives, multiplicities, budget.falseAlarms) ?? null;
}

/** Returns the score below which rows are cleared: promised on new data if possible, otherwise kept on these rows. */
function clearLimit(
  { candidates, instances }: RuleFit,
  { missed: rate = 0, confidence, per: unit = 'image' }: FalseAlarmBudget,
  { multiplicities }: DecisionSample,
): { score: number; guarantee: Guarantee } {
  const { positives } = instances;
  const { score, guarantee }: Limited =
    confidence === null || confidence === undefined
      ? { score: null, guarantee: { holds: false, reason: 'not requested' } }
      : guaranteedLimit(positives, multiplicities, { rate, confidence, candidates, unit });
  const limit = score ?? keptLimit(instances.kept.positives, multiplicities, rate) ?? 0;
  return { score: Math.min(limit, Number.MAX_VALUE), guarantee };
}

/**
 * If rows are cleared up to a score above the gate, none needs review: every gate in between keeps both limits, also one
 * chosen on the same rows. Returns the one with the highest mean F_β; otherwise the gate itself.
 */
function withoutReview(sample: DecisionSample, fit: RuleFit, lowest: FittedGate, clear: number): FittedGate {
  const { gate } = lowest;
  if (gate.presence === null || clear <= gate.presence) return lowest;
  const highest = gateAt(sample.rows, clear);
  const between = [highest, ...gatesBetween(sample, highest, gate), gate];
  return bestGate(sample, undefined, fit, between) ?? lowest;
}

/** A gate that carries a guarantee is within the budget, whatever these rows show. */
function unlimited({ leastF1Neg }: Limit): Limit {
  return { within: () => true, leastF1Neg };
}

function jsonThresholds(thresholds: Float64Array): (number | null)[] {
  return Array.from(thresholds, (threshold) => (threshold === Number.POSITIVE_INFINITY ? null : threshold));
}
