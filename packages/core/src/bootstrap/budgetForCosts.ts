import { type DecisionRows, prepareDecisionRows } from '../decisions/decisionRows.js';
import { ROW_NEGATIVE, ROW_POSITIVE } from '../labels/instancePresence.js';
import type { Multiplicities } from '../metrics/classCounts.js';
import type { Scored } from '../metrics/scored.js';
import { NumpyRandom } from '../random/numpyRandom.js';
import { quantile } from './quantile.js';
import { type BootstrapOptions, checkBootstrap, drawer } from './replicates.js';

/** What mistakes cost, in any unit; only their ratio matters for the budget. */
export interface Costs {
  /** The cost of a positive that does not alarm. */
  readonly miss: number;
  /** The cost of a negative that alarms. */
  readonly alarm: number;
  /** The share of positives where the decision will be used. Default: as in the rows. */
  readonly prevalence?: number;
}

/** The budget at which a gate costs the least. */
export interface CostBudget {
  /** The share of negatives that alarm at the cheapest gate; next, its interval over redrawn rows. */
  readonly falseAlarms: number;
  readonly low: number;
  readonly high: number;
  /** The share of positives that do not alarm there. */
  readonly missed: number;
  /** What mistakes cost per row there; next, without any alarm, and with an alarm for every row. */
  readonly cost: number;
  readonly costOfSilence: number;
  readonly costOfAlarms: number;
  readonly prevalence: number;
}

/**
 * Turns costs into the false-alarm budget that minimizes them. A gate that lets a share m of the positives and a share x of
 * the negatives on the wrong side costs, per row,
 *
 *     prevalence · miss · m + (1 - prevalence) · alarm · x
 *
 * and the presence scores of the rows say which (m, x) can be had. The interval shows how surely these rows tell the budget.
 * A budget that is read off the rows that the decision is then fitted on was chosen there: fit with `candidates: 'adaptive'`,
 * or on other rows.
 *
 * @example
 * const { falseAlarms, low, high } = budgetForCosts(validation, { miss: 50, alarm: 1, prevalence: 0.02 });
 * fitDecision(validation, { budget: { falseAlarms }, candidates: 'adaptive' });
 */
export function budgetForCosts(scored: Scored, costs: Costs, options: BootstrapOptions = {}): CostBudget {
  const { replicates, seed, confidence } = checkBootstrap(options);
  for (const name of ['miss', 'alarm'] as const) {
    if (costs[name] > 0 && costs[name] < Number.POSITIVE_INFINITY) continue;
    throw new RangeError(`costs.${name} is ${costs[name]}; expected a positive number`);
  }
  const rows = prepareDecisionRows(scored);
  const once = new Uint16Array(rows.rows).fill(1);
  const total = (kind: number) => rows.rowKinds.reduce((sum, each) => sum + Number(each === kind), 0);
  const [positives, negatives] = [total(ROW_POSITIVE), total(ROW_NEGATIVE)];
  if (positives === 0 || negatives === 0) {
    throw new RangeError(
      `${scored.split ?? 'the data'} has ${positives} positive and ${negatives} negative rows; costs need both`,
    );
  }
  const { prevalence = positives / (positives + negatives) } = costs;
  if (!(prevalence > 0 && prevalence < 1)) {
    throw new RangeError(`costs.prevalence is ${prevalence}; expected a share between 0 and 1`);
  }
  const weights = { miss: prevalence * costs.miss, alarm: (1 - prevalence) * costs.alarm };
  const draw = drawer(new NumpyRandom(seed), rows);
  const drawn = Array.from({ length: replicates }, () => cheapestGate(rows, draw(), weights)?.falseAlarms);
  const defined = Float64Array.from(drawn.filter((rate) => rate !== undefined)).sort();
  const cheapest = cheapestGate(rows, once, weights)!;
  return {
    ...cheapest,
    low: defined.length === 0 ? 0 : quantile(defined, (1 - confidence) / 2),
    high: defined.length === 0 ? 1 : quantile(defined, (1 + confidence) / 2),
    costOfSilence: weights.miss,
    costOfAlarms: weights.alarm,
    prevalence,
  };
}

/** Returns the cheapest gate, among equals the highest; undefined if positives or negatives were not drawn. */
function cheapestGate(
  { rowKinds, byPresence, presence }: DecisionRows,
  multiplicities: Multiplicities,
  weights: { readonly miss: number; readonly alarm: number },
): { falseAlarms: number; missed: number; cost: number } | undefined {
  const totals = new Float64Array(3);
  rowKinds.forEach((kind, row) => {
    totals[kind] = totals[kind]! + multiplicities[row]!;
  });
  const [positives, negatives] = [totals[ROW_POSITIVE]!, totals[ROW_NEGATIVE]!];
  if (positives === 0 || negatives === 0) return undefined;
  let best = { falseAlarms: 0, missed: 1, cost: weights.miss };
  let [found, alarmed] = [0, 0];
  for (let k = 0; k < byPresence.length; k++) {
    const row = byPresence[k]!;
    if (rowKinds[row] === ROW_POSITIVE) found += multiplicities[row]!;
    if (rowKinds[row] === ROW_NEGATIVE) alarmed += multiplicities[row]!;
    const next = byPresence[k + 1];
    if (next !== undefined && presence[next] === presence[row]) continue;
    const [falseAlarms, missed] = [alarmed / negatives, 1 - found / positives];
    const cost = weights.miss * missed + weights.alarm * falseAlarms;
    if (cost < best.cost) best = { falseAlarms, missed, cost };
  }
  return best;
}
