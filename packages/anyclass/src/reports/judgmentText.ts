// Judgments as text for a terminal.

import { describeFalseAlarms } from '@anyclass/core';
import { counted } from '../errors/counted.js';
import type { Judgment } from '../events/judgment.js';
import type { RunSummary } from '../events/runSummary.js';
import { judgmentVerdict } from '../experiments/verdict.js';
import { type Table, textTable } from '../tables/index.js';
import { classTable, figureTable } from './figureTables.js';

/**
 * A judgment as text: a verdict, the main figures, then a line for each class.
 *
 * @example
 * console.log(judgmentText(judge(scored)))
 */
export function judgmentText(judgment: Judgment): string {
  const { rows, positiveRows, negativeRows, undefinedFigures } = judgment.metrics;
  const { intervals, reliability, calibrated } = judgment;
  const ece = (value: number | null) => (value === null ? '–' : value.toFixed(4));
  return [
    judgmentVerdict(judgment),
    `${judgment.split || 'scores'}: ${counted(rows, 'instance')}, ${positiveRows} positive, ${negativeRows} negative; metrics in percent${intervals ? `, with ${Math.round(100 * intervals.confidence)}% intervals` : ''}`,
    bare(figureTable(judgment)),
    bare(classTable(judgment)),
    ...decisionLines(judgment.decided),
    `calibration error of 'any class' ${ece(reliability.anyClassEce)}${calibrated ? `, ${ece(calibrated.anyClassEce)} after ${calibrated.calibration.kind} scaling` : ''}`,
    ...undefinedLines(undefinedFigures),
  ].join('\n\n');
}

/** What a run reached, and where it is. */
export function summaryText(folder: string, summary: RunSummary): string {
  const { test, validation } = summary;
  return [
    judgmentText(test ?? validation),
    `weights of epoch ${chosenEpoch(summary)}`,
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
  return `${bestEpoch} of ${epochs}, ${isLastInstead ? `the last one, because the best by ${bestBy} is lost` : `the best by ${bestBy}`}`;
}

/** One line for each figure and reason, with all classes that it holds for. */
function undefinedLines(figures: Judgment['metrics']['undefinedFigures']): string[] {
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

/** What the fit of the decision promises, and what it cannot. */
function decisionLines(decided: Judgment['decided']): string[] {
  if (!decided?.report || decided.fittedOn === null) return [];
  const { report, fittedOn } = decided;
  const { guarantee } = report;
  return [
    [
      `the decision was fitted on ${fittedOn}: ${describeFalseAlarms({ report, fittedOn })}`,
      ...(guarantee.holds
        ? [
            `on new data of the same kind, at most ${percent(guarantee.falseAlarms)}% of negatives raise a false alarm, with ${percent(guarantee.confidence)}% confidence`,
          ]
        : []),
      ...report.remarks,
    ].join('\n'),
  ];
}

function percent(share: number): number {
  return Number((100 * share).toFixed(2));
}
