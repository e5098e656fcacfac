import type { Metrics, UndefinedMetric } from './metrics.js';

/** The metrics that may be null. */
export type NullableMetrics = Pick<
  Metrics,
  | 'perClassAP'
  | 'perClassAUC'
  | 'mAP'
  | 'rocAuc'
  | 'f2Ciw'
  | 'fnr'
  | 'fpr'
  | 'fprInPositives'
  | 'fprInNegatives'
  | 'falseAlarmRate'
  | 'falseAlarmRateByGroup'
  | 'negativesAlarmedByGroup'
  | 'groupsAlarmed'
  | 'groupsMissed'
  | 'negativesAlarmed'
  | 'missedRate'
  | 'missedRateByGroup'
  | 'reviewRate'
>;

const REASONS: readonly (readonly [metric: keyof NullableMetrics, reason: string])[] = [
  ['perClassAP', 'the class is never present'],
  ['perClassAUC', 'the class is never present, or never absent'],
  ['mAP', 'no class is ever present'],
  ['rocAuc', 'no class is both present and absent'],
  ['f2Ciw', 'no class importance was given'],
  ['fnr', 'no class is ever present'],
  ['fpr', 'no class is ever absent'],
  ['fprInPositives', 'no class is absent from a positive row'],
  ['fprInNegatives', 'there is no negative row'],
  ['falseAlarmRate', 'there is no negative row'],
  ['falseAlarmRateByGroup', 'the rows have no groups, or none is negative'],
  ['negativesAlarmedByGroup', 'the rows have no groups, or none is negative'],
  ['groupsAlarmed', 'the rows have no groups, or none without positives'],
  ['groupsMissed', 'the rows have no groups, or none with positives'],
  ['negativesAlarmed', 'there is no negative row'],
  ['missedRate', 'there is no positive row'],
  ['missedRateByGroup', 'the rows have no groups, or none is positive'],
  ['reviewRate', 'every row is undecided'],
];

/** Lists every metric that is null, with its class and the reason. */
export function undefinedMetricsOf(
  metrics: NullableMetrics,
  classNames: readonly string[],
): UndefinedMetric[] {
  return REASONS.flatMap(([metric, reason]) => {
    const found = metrics[metric];
    if (found === null) return [{ metric, reason }];
    if (typeof found === 'number') return [];
    return found.flatMap((value, j) =>
      value === null ? [{ metric, className: classNames[j]!, reason }] : [],
    );
  });
}
