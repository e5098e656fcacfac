// Differences from the standard loss as a table.

import type { PaperMetric } from '@anyclass/core';
import { counted } from '../errors/counted.js';
import type { Cell, Column, Table } from '../tables/index.js';
import type { Comparison, HeldDifference, MethodDifference, MetricDifferences } from './comparisonResult.js';
import { confoundOf, fieldsText } from './confounds.js';
import { decisionPhrase } from './decisionText.js';
import { isOfOneSign, metricTitles } from './metrics.js';

/** Has a row for each difference at decisions, if any, and at 0.5. */
export function differenceTable(
  dataset: string,
  metrics: readonly PaperMetric[],
  differences: readonly MethodDifference[],
  { replicates, confidence, confounded, decision }: Comparison,
): Table {
  const percent = Math.round(100 * confidence);
  const hasNetworks = new Set(differences.map(({ network }) => network)).size > 1;
  const hasConfounds = differences.some((each) => confoundOf(each, confounded) !== undefined);
  const shown = [...metrics, 'falseAlarmRate'] as const;
  const row = (each: MethodDifference, where: string, at: MetricDifferences): Cell[] => [
    ...(hasNetworks ? [each.network] : []),
    `${each.loss} − ${each.standard}`,
    where,
    ...shown.map((metric) => differenceCell(at[metric])),
    heldText(shown, at),
    ...(hasConfounds ? [fieldsText(confoundOf(each, confounded)?.fields ?? [])] : []),
  ];
  return {
    title: `${dataset}, ${differences[0]!.split}: difference from the standard loss`,
    note: `Percentage points with ${percent}% intervals of a paired bootstrap over instances, or over groups if they have them (${drawText(differences, replicates)}; in each, a side's metric is the mean over the seeds that both sides share). A difference holds if its interval excludes 0. The interval does not cover other seeds: an asterisk marks differences that do not have the same sign for every seed; the others that hold are bold.`,
    columns: [
      ...(hasNetworks ? [{ title: 'network', kind: 'text' } as const] : []),
      { title: 'difference', kind: 'text' },
      { title: 'decision', kind: 'text' },
      ...shown.map((metric): Column => ({ title: metricTitles[metric], kind: 'difference' })),
      { title: 'what holds', kind: 'text' },
      ...(hasConfounds ? [{ title: 'also differs in', kind: 'text' } as const] : []),
    ],
    rows: differences.flatMap((each) => [
      ...(each.atDecision ? [row(each, decisionPhrase(decision), each.atDecision)] : []),
      row(each, 'at 0.5', each.atHalf),
    ]),
  };
}

function drawText(differences: readonly MethodDifference[], replicates: number): string {
  const fewest = Math.min(...differences.map((each) => each.replicates));
  if (fewest === 0)
    return `${counted(replicates, 'replicate')}; decisions are not compared, which requires a labeled test split and a decision for every run`;
  return `${counted(replicates, 'replicate')} at 0.5; ${fewest.toLocaleString('en-US')} at decisions, each of which also resamples validation and refits every decision on it; mAP does not depend on a decision`;
}

function differenceCell(difference: HeldDifference | null): Cell {
  if (!difference) return null;
  const { value, low, high, holds } = difference;
  const emphasis = holds === 'unclear' ? 'faint' : holdsFirmly(difference) ? 'strong' : undefined;
  return { value, interval: { low, high }, ...(emphasis && { emphasis }) };
}

/** Whether the interval excludes 0 and every seed agrees: only then a number is bold. */
export function holdsFirmly(difference: HeldDifference): boolean {
  return difference.holds !== 'unclear' && isOfOneSign(difference);
}

/** For example, 'higher: F1, mAP*; lower: F1-Neg'. */
export function heldText(metrics: readonly PaperMetric[], differences: MetricDifferences): string {
  const named = (word: HeldDifference['holds']) =>
    metrics
      .filter((metric) => differences[metric]?.holds === word)
      .map((metric) => metricTitles[metric] + (isOfOneSign(differences[metric]!) ? '' : '*'));
  const parts = (['higher', 'lower'] as const).flatMap((word) => {
    const names = named(word);
    return names.length > 0 ? [`${word}: ${names.join(', ')}`] : [];
  });
  return parts.length > 0 ? parts.join('; ') : 'nothing';
}
