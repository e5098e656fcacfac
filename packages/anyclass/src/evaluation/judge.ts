// Evaluates scores: metrics at 0.5 and at the model's decision, with intervals, and the reliability.

import {
  bootstrapAt,
  type Calibration,
  countOutcomes,
  type Decision,
  type Metrics,
  measureAt,
  presenceOfRows,
  promiseUnit,
  ROW_NEGATIVE,
  ROW_POSITIVE,
  reliability,
  type Scored,
  type SharedRows,
  workload,
} from '@anyclass/core';
import type { DecidedMetrics, Judgment, PricedBudget, ReliabilityMetrics } from '../events/judgment.js';
import { contradictionsOf } from './contradictions.js';
import { withoutPromise } from './withoutPromise.js';

export interface JudgeOptions {
  /** A decision to evaluate as well; it must come from other data. */
  readonly decision?: Decision | undefined;
  /** Metrics of the decision on the data that it was fitted on. */
  readonly validation?: Metrics | undefined;
  /** Judged rows that the fit already knew, if that is known; with any, the promise is withheld. */
  readonly shared?: SharedRows | undefined;
  /** The share of positives where the decision will be used, for the work that it makes. Default: as judged. */
  readonly prevalence?: number | undefined;
  /** The costs that the decision's budget comes from. */
  readonly costs?: PricedBudget | undefined;
  /** The calibration that turned `uncalibrated` into the given scores. */
  readonly calibration?: Calibration | undefined;
  readonly uncalibrated?: Scored | undefined;
  readonly classImportance?: readonly number[] | undefined;
  /** Bootstrap replicates; 0 disables intervals. Default 1000; fewer for much data, at least 100 (`affordableReplicates`). */
  readonly replicates?: number | undefined;
  /** Confidence level of the intervals. Default 0.95. */
  readonly confidence?: number | undefined;
}

/**
 * Evaluates scores.
 *
 * @example
 * const scored = { scores: new Float64Array([0.9, 0.2]), targets: [1, 0], classNames: ['crack'], split: 'test' };
 * judge(scored, { replicates: 0 }).metrics.macroF1 // 1
 */
export function judge(scored: Scored, options: JudgeOptions = {}): Judgment {
  const { decision, calibration, uncalibrated, classImportance } = options;
  const { confidence = 0.95 } = options;
  const replicates = affordableReplicates(options.replicates ?? 1000, scored);
  const shared = classImportance ? { classImportance } : {};
  const settings = [0.5, ...(decision ? [decision] : [])];
  const [atHalf, atDecision] =
    replicates === 0
      ? measureAt(scored, settings, shared).map((metrics) => ({ metrics }))
      : bootstrapAt(scored, settings, { ...shared, replicates, confidence }).map(
          ({ metrics, overall, perClass }) => ({
            metrics,
            intervals: { overall, perClass, replicates, confidence },
          }),
        );
  return {
    split: scored.split ?? '',
    ...atHalf!,
    ...(decision &&
      atDecision && {
        decided: {
          ...decidedMetrics(decision, atDecision, judgedGroups(scored, decision), options),
          ...outcomesAt(scored, decision, options),
        },
      }),
    reliability: reliabilityMetrics(uncalibrated ?? scored),
    ...(calibration && { calibrated: { calibration, ...reliabilityMetrics(scored) } }),
  };
}

/** Labels that all replicates together count: about half a minute. */
const mostCounted = 1e10;
/** With more classes, the values of 1,000 replicates would take gigabytes. */
const manyClasses = 1000;
const fewReplicates = 100;

/**
 * How many of the wanted replicates are drawn: fewer than 1,000 with more than 1,000 classes or ten million labels, where time or memory
 * would grow faster than what intervals say; never fewer than 100.
 *
 * @example
 * affordableReplicates(1000, { scores: { length: 17 * 5_000_000 }, classNames }) // 117
 */
export function affordableReplicates(
  wanted: number,
  {
    scores,
    classNames,
  }: { readonly scores: { readonly length: number }; readonly classNames: readonly string[] },
): number {
  const most = classNames.length > manyClasses ? fewReplicates : Math.floor(mostCounted / scores.length);
  return Math.min(wanted, Math.max(fewReplicates, most));
}

function decidedMetrics(
  decision: Decision,
  judged: Pick<DecidedMetrics, 'metrics' | 'intervals'>,
  ofGroups: Pick<DecidedMetrics, 'judgedGroups'>,
  { validation, shared, costs }: JudgeOptions,
): Omit<DecidedMetrics, 'outcomes' | 'workload'> {
  const { rule, budget, beta, presence, clear, thresholds, fittedOn, candidates, report } = decision;
  const contradicted = contradictionsOf(report, judged.metrics, judged.intervals, ofGroups.judgedGroups);
  return {
    rule,
    budget,
    beta,
    unit: promiseUnit(budget),
    groups: report.groups,
    candidates,
    presence,
    clear,
    thresholds,
    fittedOn,
    ...judged,
    ...ofGroups,
    validation: validation ?? null,
    ...(costs && { costs }),
    ...(shared && { shared }),
    ...(contradicted.length > 0 && { contradicted }),
    report: shared && shared.rows > 0 ? withoutPromise(report) : report,
  };
}

/** How many groups its promises could be judged by. */
function judgedGroups(
  { groups, targets, classNames }: Scored,
  { budget }: Decision,
): Pick<DecidedMetrics, 'judgedGroups'> {
  if (groups === undefined) return {};
  const kinds = presenceOfRows(targets, classNames.length);
  const names = Array.from(groups, String);
  const groupsWith = (isOfKind: (kind: number) => boolean) =>
    new Set(names.filter((_, row) => isOfKind(kinds[row]!)));
  const negatives = groupsWith((kind) => kind === ROW_NEGATIVE);
  const others = promiseUnit(budget) === 'group' ? groupsWith((kind) => kind !== ROW_NEGATIVE) : new Set();
  return {
    judgedGroups: {
      negatives: [...negatives].filter((group) => !others.has(group)).length,
      positives: groupsWith((kind) => kind === ROW_POSITIVE).size,
    },
  };
}

/** The shares of the outcomes among the judged rows, and the work they make. */
function outcomesAt(
  scored: Scored,
  decision: Decision,
  { prevalence }: JudgeOptions,
): Pick<DecidedMetrics, 'outcomes' | 'workload'> {
  const counted = countOutcomes(scored, { threshold: decision });
  return {
    outcomes: workload(counted, { per: 1 }),
    workload: {
      ...workload(counted, prevalence === undefined ? {} : { prevalence }),
      prevalence: prevalence ?? null,
    },
  };
}

function reliabilityMetrics(scored: Scored): ReliabilityMetrics {
  const { perClass, anyClass } = reliability(scored);
  return {
    perClassEce: perClass.map(({ ece }) => ece),
    perClassBrier: perClass.map(({ brier }) => brier),
    anyClassEce: anyClass.ece,
    anyClassBrier: anyClass.brier,
  };
}
