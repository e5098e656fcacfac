// Formats judgments as text for a terminal.

import { describeFalseAlarms, describeGuarantee } from '@anyclass/core';
import { counted } from '../errors/counted.js';
import type { Judgment } from '../events/judgment.js';
import type { RunSummary } from '../events/runSummary.js';
import { judgmentVerdict } from '../experiments/comparisonVerdict.js';
import { type Table, textTable } from '../tables/index.js';
import { classTable, metricTable } from './metricTables.js';

/**
 * Formats a judgment as text: a verdict, the main metrics, then a line for each class.
 *
 * @example
 * console.log(judgmentText(judge(scored)))
 */
export function judgmentText(judgment: Judgment): string {
  const { rows, positiveRows, negativeRows, undefinedMetrics } = judgment.metrics;
  const { intervals, reliability, calibrated } = judgment;
  const ece = (value: number | null) => (value === null ? '–' : value.toFixed(4));
  return [
    judgmentVerdict(judgment),
    `${judgment.split || 'scores'}: ${counted(rows, 'instance')}, ${positiveRows.toLocaleString('en-US')} positive, ${negativeRows.toLocaleString('en-US')} negative; metrics in percent${intervals ? `, with ${Math.round(100 * intervals.confidence)}% intervals` : ''}`,
    bare(metricTable(judgment)),
    bare(classTable(judgment)),
    ...decisionLines(judgment.decided),
    `calibration error of 'any class' ${ece(reliability.anyClassEce)}${calibrated ? `, ${ece(calibrated.anyClassEce)} after ${calibrated.calibration.kind} scaling` : ''}`,
    ...undefinedLines(undefinedMetrics),
  ].join('\n\n');
}

/** Describes the results of a run, and where they are stored. */
export function summaryText(folder: string, summary: RunSummary, hasReport = true): string {
  const { test, validation } = summary;
  return [
    judgmentText(test ?? validation),
    `weights of epoch ${chosenEpoch(summary)}`,
    [`model   ${folder}/model.safetensors`, ...(hasReport ? [`report  ${folder}/report.html`] : [])].join(
      '\n',
    ),
  ].join('\n\n');
}

/**
 * Says which epoch a run was evaluated at, and why.
 *
 * @example
 * chosenEpoch(summary) // '7 of 10, the best by mAP'
 */
export function chosenEpoch({ bestEpoch, epochs, bestBy, isLastInstead }: RunSummary): string {
  return `${bestEpoch} of ${epochs}, ${isLastInstead ? `the last one, because the best one by ${bestBy} is lost` : `the best by ${bestBy}`}`;
}

/** Returns one line for each undefined metric and reason, with all its classes. */
function undefinedLines(metrics: Judgment['metrics']['undefinedMetrics']): string[] {
  const classesOf = new Map<string, string[]>();
  for (const { metric, className, reason } of metrics) {
    if (className === undefined) continue;
    const key = `${metric} is undefined (${reason}): `;
    classesOf.set(key, [...(classesOf.get(key) ?? []), className]);
  }
  return Array.from(classesOf, ([key, classes]) => key + classes.join(', '));
}

// Formats a table without its note, because the first line of the text says the same.
function bare({ columns, rows }: Table): string {
  return textTable({ title: '', columns, rows });
}

/** Says what the fitted decision guarantees, and what it does not. */
function decisionLines(decided: Judgment['decided']): string[] {
  if (!decided?.report || decided.fittedOn === null) return [];
  const { report, fittedOn } = decided;
  const { guarantee } = report;
  return [
    [
      `the decision was fitted on ${fittedOn}: ${describeFalseAlarms({ report, fittedOn })}`,
      ...(guarantee.holds ? [`on new data of the same kind, ${describeGuarantee(guarantee)}`] : []),
      ...report.remarks,
    ].join('\n'),
  ];
}
