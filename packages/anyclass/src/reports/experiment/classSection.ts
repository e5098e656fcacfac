// Compares each class under a loss and under the one that it is compared with, both at their decisions.

import { fitDecision, type Metrics, measure } from '@anyclass/core';
import { dumbbells } from '@anyclass/kit';
import type { ConfoundedPair } from '../../experiments/comparisonResult.js';
import { confoundOf, fieldsText } from '../../experiments/confounds.js';
import { decisionPhrase } from '../../experiments/decisionText.js';
import type { Run } from '../../experiments/readRuns.js';
import { standardOf } from '../../experiments/seedGroups.js';
import type { Chart } from '../../pages/blocks.js';
import type { Cell, Table } from '../../tables/index.js';
import { type Group, type Material, meanOf, type Panel, type ReportSection } from './material.js';

/** Returns a panel for each loss and the one that it is compared with. */
export async function classSection(material: Material): Promise<ReportSection> {
  const { groups, split, decision, confounded } = material;
  const pairs = groups.flatMap((after) => {
    const standard = standardOf(after, groups);
    const before = groups.find((group) => group === standard);
    return before ? [{ before, after }] : [];
  });
  const isDecided = groups.every(({ metrics }) => metrics.decided?.test);
  const metricsOf = new Map<Group, Metrics[]>();
  for (const group of new Set(pairs.flatMap(({ before, after }) => [before, after]))) {
    const judged = group.runs.map((run) => runMetrics(run, split, isDecided ? decision : undefined));
    metricsOf.set(group, await Promise.all(judged));
  }
  const panels = pairs.map(({ before, after }, i): Panel => {
    const rows = classRows(metricsOf.get(before)!, metricsOf.get(after)!);
    const title = `${before.name} and ${after.name}`;
    const { dataset, network, label: loss } = after;
    const confound = confoundOf({ dataset, network, loss, standard: before.label }, confounded);
    return {
      title,
      items: [
        { kind: 'charts', charts: classCharts(before, after, rows, i) },
        {
          kind: 'table',
          table: { name: `classes-${i + 1}`, table: classTable(title, split, rows, confound) },
        },
      ],
    };
  });
  return {
    name: 'classes',
    title: 'Classes before and after',
    items:
      panels.length === 0
        ? []
        : [
            {
              kind: 'note',
              text: `On the ${split} split, ${isDecided ? decisionPhrase(decision) : 'at a threshold of 0.5'}; mean over seeds. Classes with the most examples come first.`,
            },
            ...(panels.length === 1
              ? panels[0]!.items
              : [{ kind: 'choice', name: 'class-losses', legend: 'Losses', panels } as const]),
          ],
  };
}

/** More rows would fill a page; the table has all classes. */
const mostRows = 60;

const classMetrics = [
  { name: 'F1', title: 'F1', key: 'perClassF1' },
  { name: 'F2', title: 'F2', key: 'perClassF2' },
  { name: 'AP', title: 'AP', key: 'perClassAP' },
] as const satisfies readonly { name: string; title: string; key: keyof Metrics }[];

interface ClassRow {
  readonly name: string;
  readonly present: number;
  /** One for each of `classMetrics`. */
  readonly metrics: readonly { readonly before: number | null; readonly after: number | null }[];
}

/** Measures a run at its decision, or at 0.5 if there is none. */
async function runMetrics(
  run: Run,
  split: Material['split'],
  decision: Material['decision'] | undefined,
): Promise<Metrics> {
  const scored = await run.scores(split);
  const fitting = (await run.scores('decision')) ?? (await run.scores('validation'));
  if (!scored || !fitting) throw new RangeError(`${run.folder}: no scores for ${split}`);
  return measure(scored, decision && { threshold: fitDecision(fitting, decision) });
}

function classRows(first: readonly Metrics[], second: readonly Metrics[]): ClassRow[] {
  const { classNames, truePositives, falseNegatives } = first[0]!;
  return classNames
    .map((name, j) => ({
      name,
      present: truePositives[j]! + falseNegatives[j]!,
      metrics: classMetrics.map(({ key }) => ({
        before: meanOf(first.map((metrics) => metrics[key][j])),
        after: meanOf(second.map((metrics) => metrics[key][j])),
      })),
    }))
    .sort((a, b) => b.present - a.present);
}

function classCharts(before: Group, after: Group, rows: readonly ClassRow[], index: number): Chart[] {
  return classMetrics.map(({ name, title }, k) => ({
    name: `classes-${index + 1}-${name}`,
    title: `${title} of each class`,
    svg: dumbbells(
      `${title} of each class, %`,
      { before: before.name, after: after.name },
      rows.slice(0, mostRows).map((row) => ({ name: row.name, ...row.metrics[k]! })),
    ),
  }));
}

function classTable(
  losses: string,
  split: string,
  rows: readonly ClassRow[],
  confound: ConfoundedPair | undefined,
): Table {
  const difference = ({ before: one, after: two }: ClassRow['metrics'][number]) =>
    one === null || two === null ? null : two - one;
  return {
    title: `Classes on ${split}: ${losses}`,
    ...(confound && { note: `Caution: they also differ in ${fieldsText(confound.fields)}.` }),
    columns: [
      { title: 'class', kind: 'text' },
      { title: 'present', kind: 'count' },
      ...classMetrics.flatMap(
        ({ title }) =>
          [
            { title: 'before', kind: 'percent', group: title },
            { title: 'after', kind: 'percent', group: title },
            { title: 'Δ', kind: 'difference', group: title },
          ] as const,
      ),
    ],
    rows: rows.map(({ name, present, metrics }): Cell[] => [
      name,
      present,
      ...metrics.flatMap((metric) => [metric.before, metric.after, difference(metric)]),
    ]),
  };
}
