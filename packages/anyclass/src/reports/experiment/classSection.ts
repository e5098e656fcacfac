// Each class before and after: the standard loss beside the any-class loss.

import type { Metrics } from '@anyclass/core';
import { standardOf } from '../../experiments/seedGroups.js';
import type { Cell } from '../../tables/index.js';
import { pairedBars } from '../charts/pairedBars.js';
import { type Group, type Item, type Material, meanOf, type Panel, type ReportSection } from './material.js';

export function classSection({ groups, split }: Material): ReportSection {
  const pairs = groups.flatMap((after) => {
    const standard = standardOf(after, groups);
    const before = groups.find(
      ({ label, network }) => label === standard?.label && network === standard.network,
    );
    return before ? [{ before, after }] : [];
  });
  const items = pairs.flatMap(({ before, after }, i): Item[] => {
    const rows = classRows(before, after, split);
    const panels = classFigures.map(
      ({ name, title }, k): Panel => ({
        title,
        items: [
          {
            kind: 'figures',
            figures: [
              {
                name: `classes-${i + 1}-${name}`,
                title: `${title} of each class: ${before.name} and ${after.name}`,
                isWide: true,
                svg: pairedBars(
                  rows.map((row) => ({ name: row.name, ...row.figures[k]! })),
                  {
                    title: `${title} of each class on ${split}`,
                    before: before.name,
                    after: after.name,
                    x: `${title}, %`,
                  },
                ),
              },
            ],
          },
        ],
      }),
    );
    return [
      { kind: 'choice', name: `class-figure-${i + 1}`, legend: `${before.name} and ${after.name}`, panels },
      { kind: 'table', table: { name: `classes-${i + 1}`, table: classTable(before, after, split, rows) } },
    ];
  });
  return {
    name: 'classes',
    title: 'Classes before and after',
    items:
      items.length === 0
        ? []
        : [
            {
              kind: 'note',
              text: `On ${split}, at 0.5, the mean over seeds; the classes with most examples on top.`,
            },
            ...items,
          ],
  };
}

const classFigures = [
  { name: 'F1', title: 'F1', key: 'perClassF1' },
  { name: 'F2', title: 'F2', key: 'perClassF2' },
  { name: 'AP', title: 'AP', key: 'perClassAP' },
] as const satisfies readonly { name: string; title: string; key: keyof Metrics }[];

interface ClassRow {
  readonly name: string;
  readonly present: number;
  /** One for each of `classFigures`. */
  readonly figures: readonly { readonly before: number | null; readonly after: number | null }[];
}

function classRows(before: Group, after: Group, split: Material['split']): ClassRow[] {
  const metricsOf = (group: Group) =>
    group.runs.map(
      ({ summary }) => (split === 'test' && summary.test ? summary.test : summary.validation).metrics,
    );
  const [first, second] = [metricsOf(before), metricsOf(after)];
  const { classNames, truePositives, falseNegatives } = first[0]!;
  return classNames
    .map((name, j) => ({
      name,
      present: truePositives[j]! + falseNegatives[j]!,
      figures: classFigures.map(({ key }) => ({
        before: meanOf(first.map((metrics) => metrics[key][j])),
        after: meanOf(second.map((metrics) => metrics[key][j])),
      })),
    }))
    .sort((a, b) => b.present - a.present);
}

function classTable(before: Group, after: Group, split: string, rows: readonly ClassRow[]) {
  const difference = ({ before: one, after: two }: ClassRow['figures'][number]) =>
    one === null || two === null ? null : two - one;
  return {
    title: `Classes on ${split}: ${before.name} and ${after.name}`,
    columns: [
      { title: 'class', kind: 'text' },
      { title: 'present', kind: 'count' },
      ...classFigures.flatMap(
        ({ title }) =>
          [
            { title: 'before', kind: 'percent', group: title },
            { title: 'after', kind: 'percent', group: title },
            { title: 'Δ', kind: 'difference', group: title },
          ] as const,
      ),
    ],
    rows: rows.map(({ name, present, figures }): Cell[] => [
      name,
      present,
      ...figures.flatMap((figure) => [figure.before, figure.after, difference(figure)]),
    ]),
  } as const;
}
