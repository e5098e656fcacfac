// What the demo prints: verdicts in words, metrics, and differences with their intervals.

import { join } from 'node:path';
import type { Difference } from '@anyclass/core';
import { counted } from '../errors/counted.js';
import { type Measured, textTable } from '../tables/index.js';
import type { DemoComparison, DemoResult } from './demo.js';

export function demoText(result: DemoResult): string {
  const { runs, falseAlarms, comparisons } = result;
  return [
    ...comparisons.map((comparison) => `${comparison.choice}: ${verdict(comparison)}.`),
    '',
    metricsText(result),
    'The gate is fitted on the validation split: an image gets labels only if it is likely enough that any class is present.',
    falseAlarms.map(({ loss, text }) => `  ${loss}: ${text}`).join('\n'),
    '',
    differencesText(result),
    '',
    `Reports: ${runs.map(({ folder }) => join(folder, 'report.html')).join(' and ')}`,
  ].join('\n');
}

function metricsText({ metrics }: DemoResult): string {
  return textTable({
    title: 'Test scenes, in percent',
    note: '',
    columns: [
      { title: 'loss, decision', kind: 'text' },
      { title: 'F1', kind: 'percent' },
      { title: 'F1-Neg', kind: 'percent' },
      { title: 'false alarms', kind: 'percent' },
      { title: 'mAP', kind: 'percent' },
    ],
    rows: metrics.map(({ loss, decision, macroF1, f1Neg, falseAlarmRate, mAP }) => [
      `${loss}, ${decision}`,
      ...[macroF1, f1Neg, falseAlarmRate, mAP],
    ]),
  });
}

function differencesText({ comparisons, mAP, draws }: DemoResult): string {
  return textTable({
    title: `Differences in points, with 95% intervals from a paired bootstrap (${counted(draws, 'replicate')})`,
    columns: [
      { title: '', kind: 'text' },
      { title: 'F1', kind: 'difference' },
      { title: 'false alarms', kind: 'difference' },
      { title: 'mAP', kind: 'difference' },
    ],
    rows: comparisons.map(({ title, macroF1, falseAlarmRate }, i) => [
      title,
      cell(macroF1),
      cell(falseAlarmRate),
      // mAP does not depend on the decision, so it is the same for both comparisons of the losses.
      i < 2 ? cell(mAP) : '',
    ]),
  });
}

function cell(difference: Difference | null): Measured {
  if (!difference) return { value: null };
  const { value, low, high } = difference;
  return { value, interval: { low, high } };
}

/** Says which difference is significant, and at what cost. */
function verdict({ macroF1, falseAlarmRate }: DemoComparison): string {
  const [f1, alarms] = [change(macroF1), change(falseAlarmRate)];
  if (f1 === undefined) return 'no significant difference in F1';
  return `F1 ${f1}${alarms === undefined ? '' : `, false alarms ${alarms}`}`;
}

function change(difference: Difference | null): string | undefined {
  if (!difference || (difference.low <= 0 && difference.high >= 0)) return undefined;
  const { value } = difference;
  return `${value > 0 ? 'higher' : 'lower'} by ${Math.abs(100 * value).toFixed(1)} points`;
}
