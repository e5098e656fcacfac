// Judgements as text for a terminal.

import type { Judgement } from '../evaluation/judge.js';
import type { RunSummary } from '../runFolder/summary.js';
import { type Table, textTable } from '../tables/index.js';
import { classTable, figureTable } from './figureTables.js';

/**
 * A judgement as text: the main figures, then a line for each class.
 *
 * @example
 * console.log(judgementText(judge(scored)))
 */
export function judgementText(judgement: Judgement): string {
  const { rows, positiveRows, negativeRows, undefinedFigures } = judgement.metrics;
  const { intervals, reliability, calibrated } = judgement;
  const ece = (value: number | null) => (value === null ? '–' : value.toFixed(4));
  return [
    `${judgement.split || 'scores'}: ${rows} images, ${positiveRows} positive, ${negativeRows} negative; figures in percent${intervals ? `, with ${Math.round(100 * intervals.confidence)}% intervals` : ''}`,
    bare(figureTable(judgement)),
    bare(classTable(judgement)),
    `calibration error of 'any class' ${ece(reliability.anyClassEce)}${calibrated ? `, ${ece(calibrated.anyClassEce)} after ${calibrated.calibration.kind} scaling` : ''}`,
    ...undefinedLines(undefinedFigures),
  ].join('\n\n');
}

/** What a run reached, and where it is. */
export function summaryText(folder: string, summary: RunSummary): string {
  const { test, validation } = summary;
  return [
    judgementText(test ?? validation),
    `the weights are those of epoch ${chosenEpoch(summary)}`,
    `model   ${folder}/model.safetensors\nreport  ${folder}/report.html`,
  ].join('\n\n');
}

/**
 * Which epoch a run was judged by, and why.
 *
 * @example
 * chosenEpoch(summary) // '7 of 10, the best by mAP'
 */
export function chosenEpoch({ bestEpoch, epochs, bestBy, isLastInstead }: RunSummary): string {
  return `${bestEpoch} of ${epochs}, ${isLastInstead ? `the last: that of the best by ${bestBy} is lost` : `the best by ${bestBy}`}`;
}

/** One line for each figure and reason, with all classes that it holds for. */
function undefinedLines(figures: Judgement['metrics']['undefinedFigures']): string[] {
  const classesOf = new Map<string, string[]>();
  for (const { metric, className, reason } of figures) {
    if (className === undefined) continue;
    const key = `${metric} is not defined (${reason}): `;
    classesOf.set(key, [...(classesOf.get(key) ?? []), className]);
  }
  return Array.from(classesOf, ([key, classes]) => key + classes.join(', '));
}

// The first line says what a note would.
function bare({ columns, rows }: Table): string {
  return textTable({ title: '', columns, rows });
}
