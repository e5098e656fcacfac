import type { Metrics, UndefinedFigure } from './metrics.js';

/** The figures that may be null. */
export type NullableFigures = Pick<
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
  | 'negativesAlarmed'
  | 'missedRate'
  | 'reviewRate'
>;

const REASONS: readonly (readonly [metric: keyof NullableFigures, reason: string])[] = [
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
  ['negativesAlarmed', 'there is no negative row'],
  ['missedRate', 'there is no positive row'],
  ['reviewRate', 'every row is undecided'],
];

/** Lists every figure that is null, with its class and the reason. */
export function undefinedFiguresOf(
  figures: NullableFigures,
  classNames: readonly string[],
): UndefinedFigure[] {
  return REASONS.flatMap(([metric, reason]) => {
    const figure = figures[metric];
    if (figure === null) return [{ metric, reason }];
    if (typeof figure === 'number') return [];
    return figure.flatMap((value, j) =>
      value === null ? [{ metric, className: classNames[j]!, reason }] : [],
    );
  });
}
