import type { Metrics } from '../metrics/metrics.js';

/** Overall metrics that get an interval: every number that is not a row count. */
export type OverallMetric = {
  [Name in keyof Metrics]: Metrics[Name] extends number | null ? Exclude<Name, `${string}ows`> : never;
}[keyof Metrics];

/** Per-class metrics that get an interval. */
export type ClassMetric = keyof Metrics & `perClass${string}`;

/** Builds a record with a value for each overall metric. */
export function forOverallMetrics<Value>(
  value: (metric: OverallMetric) => Value,
): Record<OverallMetric, Value> {
  return {
    macroF1: value('macroF1'),
    macroF2: value('macroF2'),
    macroPrecision: value('macroPrecision'),
    macroRecall: value('macroRecall'),
    microF1: value('microF1'),
    microF2: value('microF2'),
    microPrecision: value('microPrecision'),
    microRecall: value('microRecall'),
    mAP: value('mAP'),
    rocAuc: value('rocAuc'),
    f2Ciw: value('f2Ciw'),
    f1Neg: value('f1Neg'),
    f2Neg: value('f2Neg'),
    precisionNeg: value('precisionNeg'),
    recallNeg: value('recallNeg'),
    falseAlarmRate: value('falseAlarmRate'),
    falseAlarmRateByGroup: value('falseAlarmRateByGroup'),
    negativesAlarmedByGroup: value('negativesAlarmedByGroup'),
    groupsAlarmed: value('groupsAlarmed'),
    groupsMissed: value('groupsMissed'),
    negativesAlarmed: value('negativesAlarmed'),
    missedRate: value('missedRate'),
    missedRateByGroup: value('missedRateByGroup'),
    reviewRate: value('reviewRate'),
    f1Any: value('f1Any'),
    f2Any: value('f2Any'),
    precisionAny: value('precisionAny'),
    recallAny: value('recallAny'),
    fnr: value('fnr'),
    fpr: value('fpr'),
    fprInPositives: value('fprInPositives'),
    fprInNegatives: value('fprInNegatives'),
  };
}

/** Builds a record with a value for each metric and class. */
export function forClassMetrics<Value>(
  classes: number,
  value: (metric: ClassMetric, classIndex: number) => Value,
): Record<ClassMetric, Value[]> {
  const ofClasses = (metric: ClassMetric) => Array.from({ length: classes }, (_, j) => value(metric, j));
  return {
    perClassF1: ofClasses('perClassF1'),
    perClassF2: ofClasses('perClassF2'),
    perClassPrecision: ofClasses('perClassPrecision'),
    perClassRecall: ofClasses('perClassRecall'),
    perClassAP: ofClasses('perClassAP'),
    perClassAUC: ofClasses('perClassAUC'),
  };
}
