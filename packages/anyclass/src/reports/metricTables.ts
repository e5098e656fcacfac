// Presents the metrics of a judgment as tables.

import { counted } from '../errors/counted.js';
import type { DecidedMetrics, Judgment } from '../events/judgment.js';
import { decisionPhrase } from '../experiments/decisionText.js';
import type { Cell, Column, Table } from '../tables/index.js';
import { percent } from '../tables/percent.js';

/** The metrics that a reader looks at first, with their names in the paper. */
const mainMetrics = [
  ['macroF1', 'F1'],
  ['macroF2', 'F2'],
  ['f2Ciw', 'F2-CIW'],
  ['mAP', 'mAP'],
  ['rocAuc', 'ROC-AUC'],
  ['f1Neg', 'F1-Neg'],
  ['f1Any', 'F1-Any'],
  ['falseAlarmRate', 'false alarms'],
  ['macroPrecision', 'precision'],
  ['macroRecall', 'recall'],
  ['microF1', 'micro F1'],
  ['microF2', 'micro F2'],
  ['fnr', 'false negative rate'],
  ['fpr', 'false positive rate'],
  ['fprInPositives', 'false positive rate in positives'],
  ['fprInNegatives', 'false positive rate in negatives'],
] as const;

/** Returns each main metric at 0.5 and as decided, with its interval. */
export function metricTable(judgment: Judgment): Table {
  const { metrics, intervals, decided } = judgment;
  return {
    title: '',
    note: metricNote(judgment),
    columns: [
      { title: 'metric', kind: 'text' },
      { title: 'at 0.5', kind: 'percent' },
      ...(decided ? [{ title: titleOf(decided), kind: 'percent' } as const] : []),
    ],
    rows: mainMetrics
      .filter(([name]) => metrics[name] !== null)
      .map(([name, title]) => [
        title,
        withInterval(metrics[name], intervals?.overall[name]),
        ...(decided ? [withInterval(decided.metrics[name], decided.intervals?.overall[name])] : []),
      ]),
  };
}

/** Returns the metrics of each class. */
export function classTable({ metrics, decided, reliability }: Judgment): Table {
  const percents = (titles: readonly string[]) => titles.map((title): Column => ({ title, kind: 'percent' }));
  return {
    title: '',
    columns: [
      { title: 'class', kind: 'text' },
      { title: 'present', kind: 'count' },
      ...percents(['AP', 'AUC', 'F1', 'F2', 'precision', 'recall', 'ECE']),
      ...(decided
        ? [
            { title: 'threshold', kind: 'number', digits: 3 } as const,
            ...percents(['F1 as decided', 'F2 as decided']),
          ]
        : []),
    ],
    rows: metrics.classNames.map((name, j): Cell[] => [
      name,
      metrics.truePositives[j]! + metrics.falseNegatives[j]!,
      metrics.perClassAP[j] ?? null,
      metrics.perClassAUC[j] ?? null,
      metrics.perClassF1[j]!,
      metrics.perClassF2[j]!,
      metrics.perClassPrecision[j]!,
      metrics.perClassRecall[j]!,
      reliability.perClassEce[j] ?? null,
      ...(decided
        ? [decided.thresholds[j] ?? null, decided.metrics.perClassF1[j]!, decided.metrics.perClassF2[j]!]
        : []),
    ]),
  };
}

function metricNote({ metrics, intervals, reliability, calibrated }: Judgment): string {
  const { rows, positiveRows, negativeRows } = metrics;
  return `${[
    `${counted(rows, 'instance')}, ${positiveRows.toLocaleString('en-US')} positive and ${negativeRows.toLocaleString('en-US')} negative; in percent`,
    ...(intervals
      ? [
          `with ${Math.round(100 * intervals.confidence)}% bootstrap intervals (${counted(intervals.replicates, 'replicate')})`,
        ]
      : []),
    `calibration error of 'any class' ${percent(reliability.anyClassEce)}`,
    ...(calibrated
      ? [`${percent(calibrated.anyClassEce)} after ${calibrated.calibration.kind} scaling`]
      : []),
  ].join('; ')}.`;
}

function withInterval(
  value: number | null,
  interval: { readonly low: number; readonly high: number } | null | undefined,
): Cell {
  return interval ? { value, interval: { low: interval.low, high: interval.high } } : value;
}

function titleOf({ rule, budget }: DecidedMetrics): string {
  return decisionPhrase({ rule, budget });
}
