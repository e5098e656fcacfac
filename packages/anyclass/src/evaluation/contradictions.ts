// Where the rates measured on other data contradict what a decision promised.

import {
  type DecisionReport,
  type GivenGuarantee,
  type Guarantee,
  instancesNeeded,
  type Metrics,
  type PromiseUnit,
  rateInterval,
} from '@anyclass/core';
import type { Contradiction, DecidedMetrics, Intervals } from '../events/judgment.js';

/**
 * Returns the promises that do not hold on the judged rows: the whole interval of the measured rate is above the promised
 * one. Without bootstrap replicates, independent rows are judged by the interval of Clopper and Pearson, and so are groups: a mean
 * of their shares varies at most as much as one of as many zeros and ones.
 *
 * @example
 * contradictionsOf(decision.report, metrics, intervals)
 * // [{ about: 'false alarms', promised: 0.05, rate: 0.149, low: 0.073, high: 0.234, needed: 59, … }]
 */
export function contradictionsOf(
  { guarantee, triage }: Pick<DecisionReport, 'guarantee' | 'triage'>,
  metrics: Metrics,
  intervals: Intervals | undefined,
  judgedGroups?: DecidedMetrics['judgedGroups'],
): Contradiction[] {
  return [guarantee, ...(triage ? [triage.guarantee] : [])].flatMap((promise) => {
    if (!promise.holds) return [];
    const { about, unit, confidence } = promise;
    const name = promisedMetric(promise, metrics);
    const rate = metrics[name];
    if (rate === null) return [];
    const rows = about === 'false alarms' ? metrics.negativeRows : metrics.positiveRows;
    const isGrouped = metrics.falseAlarmRateByGroup !== null || metrics.missedRateByGroup != null;
    const isOfGroups = name.endsWith('ByGroup') || unit === 'group';
    const groups = judgedGroups?.[about === 'false alarms' ? 'negatives' : 'positives'] ?? 0;
    const independent = isOfGroups ? groups : isGrouped ? 0 : rows;
    const range =
      intervals?.overall[name] ?? rateInterval(Math.floor(rate * independent + 1e-9), independent);
    if (range.low <= promise.rate) return [];
    return [
      {
        about,
        unit,
        promised: promise.rate,
        rate,
        low: range.low,
        high: range.high,
        isByGroup: name.endsWith('ByGroup'),
        needed: instancesNeeded(promise.rate, 1 - confidence),
        ofGroups: isGrouped,
      },
    ];
  });
}

/** The metrics that promises are judged by. */
export type PromisedMetric =
  | 'groupsAlarmed'
  | 'groupsMissed'
  | 'negativesAlarmedByGroup'
  | 'falseAlarmRateByGroup'
  | 'negativesAlarmed'
  | 'missedRateByGroup'
  | 'missedRate';

/**
 * The rate that a promise is about: of alarms, with or without a label; of whole groups, or of a random group where it rests on
 * groups.
 *
 * @example
 * metrics[promisedMetric(decision.report.guarantee, metrics)] // 0.042
 */
export function promisedMetric(
  { about, unit, groups }: Pick<GivenGuarantee, 'about' | 'unit' | 'groups'>,
  {
    negativesAlarmedByGroup,
    falseAlarmRateByGroup,
    missedRateByGroup,
  }: Pick<Metrics, 'negativesAlarmedByGroup' | 'falseAlarmRateByGroup' | 'missedRateByGroup'>,
): PromisedMetric {
  if (unit === 'group') return about === 'false alarms' ? 'groupsAlarmed' : 'groupsMissed';
  if (about === 'missed positives')
    return groups !== null && typeof missedRateByGroup === 'number' ? 'missedRateByGroup' : 'missedRate';
  if (groups === null || falseAlarmRateByGroup === null) return 'negativesAlarmed';
  // Summaries from before there was this metric lack it.
  return typeof negativesAlarmedByGroup === 'number' ? 'negativesAlarmedByGroup' : 'falseAlarmRateByGroup';
}

/**
 * The rate that a limit is about, whether it is promised, approximate, or only kept where it was fitted: on whole groups if it counts
 * them, otherwise on every row.
 *
 * @example
 * metrics[limitedMetric('false alarms', decided.report.guarantee, decided.unit, metrics)] // 0.042
 */
export function limitedMetric(
  about: GivenGuarantee['about'],
  guarantee: Guarantee,
  unit: PromiseUnit,
  metrics: Metrics,
): PromisedMetric {
  if (guarantee.holds) return promisedMetric(guarantee, metrics);
  const { reason, ofGroups, of = 0 } = guarantee;
  return promisedMetric(
    { about, unit, groups: reason === 'adaptive choice' && ofGroups ? of : null },
    metrics,
  );
}
