import type { RunEvent } from '../../events/runEvent.js';

const columns = [
  'time',
  'epoch',
  'rate',
  'trainingLoss',
  'validationLoss',
  'validationBce',
  'mAP',
  'macroF1',
  'macroF2',
  'f1Neg',
  'falseAlarmRate',
  'seconds',
  'imagesPerSecond',
] as const;

/** The names of the columns; metrics are shares from 0 to 1. */
export const csvHeader = `${columns.join(',')}\n`;

/** A line for each validated epoch, with empty cells where a metric is undefined; undefined for other events. */
export function csvLines(event: RunEvent, time: Date): string | undefined {
  if (event.type !== 'validated') return undefined;
  const { record } = event;
  const { mAP, macroF1, macroF2, f1Neg, falseAlarmRate } = record.validation;
  const values: Record<(typeof columns)[number], string | number | null> = {
    ...record,
    ...{ mAP, macroF1, macroF2, f1Neg, falseAlarmRate },
    time: time.toISOString(),
  };
  return `${columns.map((column) => values[column] ?? '').join(',')}\n`;
}
