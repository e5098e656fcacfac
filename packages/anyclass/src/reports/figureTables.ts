// A judgement's figures as tables.

import type { Judgement } from '../evaluation/judge.js';
import { percent, table } from '../pages/page.js';

/** The figures that a reader looks at first, by their names in the paper. */
export const mainFigures = [
  ['macroF1', 'F1'],
  ['macroF2', 'F2'],
  ['f2Ciw', 'F2-CIW'],
  ['mAP', 'mAP'],
  ['rocAuc', 'ROC-AUC'],
  ['f1Neg', 'F1-Neg'],
  ['f1Any', 'F1-Any'],
  ['macroPrecision', 'precision'],
  ['macroRecall', 'recall'],
  ['microF1', 'micro F1'],
  ['microF2', 'micro F2'],
  ['fnr', 'false negative rate'],
  ['fpr', 'false positive rate'],
  ['fprInPositives', '  in positives'],
  ['fprInNegatives', '  in negatives'],
] as const;

/** Rows of text: each main figure at 0.5 and at fitted thresholds, in percent with its interval. */
export function figureRows(judgement: Judgement): string[][] {
  const { metrics, intervals, fitted } = judgement;
  return mainFigures
    .filter(([name]) => metrics[name] !== null)
    .map(([name, title]) => [
      title,
      withInterval(metrics[name], intervals?.overall[name]),
      ...(fitted ? [withInterval(fitted.metrics[name], fitted.intervals?.overall[name])] : []),
    ]);
}

/** Rows of text: the figures of each class. */
export function classRows({ metrics, fitted, reliability }: Judgement): string[][] {
  return metrics.classNames.map((name, j) => [
    name,
    String(metrics.truePositives[j]! + metrics.falseNegatives[j]!),
    percent(metrics.perClassAP[j]),
    percent(metrics.perClassAUC[j]),
    percent(metrics.perClassF1[j]),
    percent(metrics.perClassF2[j]),
    percent(metrics.perClassPrecision[j]),
    percent(metrics.perClassRecall[j]),
    percent(reliability.perClassEce[j]),
    ...(fitted
      ? [
          fitted.thresholds.values[j]!.toFixed(3),
          percent(fitted.metrics.perClassF1[j]),
          percent(fitted.metrics.perClassF2[j]),
        ]
      : []),
  ]);
}

export function figureHeader({ fitted }: Judgement): string[] {
  return ['', 'at 0.5', ...(fitted ? ['at fitted thresholds'] : [])];
}

export function classHeader({ fitted }: Judgement): string[] {
  const always = ['class', 'present', 'AP', 'AUC', 'F1', 'F2', 'precision', 'recall', 'ECE'];
  return fitted ? [...always, 'threshold', 'F1 there', 'F2 there'] : always;
}

export function figureTable(judgement: Judgement): string {
  const { rows, positiveRows, negativeRows } = judgement.metrics;
  const { intervals, reliability, calibrated } = judgement;
  const note = [
    `${rows} images, ${positiveRows} positive and ${negativeRows} negative; percent`,
    ...(intervals
      ? [
          `with ${Math.round(100 * intervals.confidence)}% bootstrap intervals (${intervals.replicates} replicates)`,
        ]
      : []),
    `calibration error of 'any class' ${percent(reliability.anyClassEce)}`,
    ...(calibrated
      ? [`${percent(calibrated.anyClassEce)} after ${calibrated.calibration.kind} scaling`]
      : []),
  ].join('; ');
  return `<p class="note">${note}.</p>${table(figureHeader(judgement), figureRows(judgement))}`;
}

export function classTable(judgement: Judgement): string {
  return table(classHeader(judgement), classRows(judgement));
}

function withInterval(
  value: number | null,
  interval: { readonly low: number; readonly high: number } | null | undefined,
): string {
  return interval
    ? `${percent(value)} (${percent(interval.low)} to ${percent(interval.high)})`
    : percent(value);
}
