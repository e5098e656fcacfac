// Counts of a dataset as tables.

import type { Cell, ReportTable } from '../tables/index.js';
import type { Inspection } from './inspection.js';

/** Positive, negative and undecided instances by split. */
export function splitTable({ splits, groupColumn }: Pick<Inspection, 'splits' | 'groupColumn'>): ReportTable {
  const counts = ['positive', 'negative', 'undecided', 'total', ...(groupColumn ? [groupColumn] : [])];
  return {
    name: 'splits',
    table: {
      title: '',
      columns: [
        { title: 'split', kind: 'text' },
        ...counts.map((title) => ({ title, kind: 'count' }) as const),
        { title: 'negative %', kind: 'percent', digits: 1 },
      ],
      rows: splits
        .filter(({ total }) => total > 0)
        .map(({ split, positive, negative, undecided, total, groups }): Cell[] => [
          split,
          positive,
          negative,
          undecided,
          total,
          ...(groupColumn ? [groups ?? null] : []),
          positive + negative === 0 ? null : negative / (positive + negative),
        ]),
    },
  };
}

/** Positive instances of each class by split, with its class-balancing weight. */
export function classTable({ classCounts, balance }: Inspection): ReportTable {
  return {
    name: 'class-counts',
    table: {
      title: '',
      columns: [
        { title: 'class', kind: 'text' },
        { title: 'train', kind: 'count' },
        { title: 'validation', kind: 'count' },
        { title: 'test', kind: 'count' },
        { title: `weight (β ${balance.beta})`, kind: 'number' },
      ],
      rows: [
        ...classCounts.map(({ name, train, validation, test }, j): Cell[] => [
          name,
          train,
          validation,
          test,
          balance.classWeights[j]!,
        ]),
        ['(negative)', null, null, null, balance.negativeWeight],
      ],
    },
  };
}

/** Labels of each class that are unknown, uncertain or soft; undefined where every label is 0 or 1. */
export function labelTable({ labelCounts }: Pick<Inspection, 'labelCounts'>): ReportTable | undefined {
  if (labelCounts.every(({ unknown, uncertain, soft }) => unknown + uncertain + soft === 0)) return undefined;
  return {
    name: 'label-counts',
    table: {
      title: '',
      columns: [
        { title: 'class', kind: 'text' },
        { title: 'unknown', kind: 'count' },
        { title: 'uncertain', kind: 'count' },
        { title: 'soft', kind: 'count' },
      ],
      rows: labelCounts.map(({ name, unknown, uncertain, soft }): Cell[] => [name, unknown, uncertain, soft]),
    },
  };
}
