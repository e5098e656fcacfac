// Counts of a dataset as tables.

import type { Cell, ReportTable } from '../tables/index.js';
import type { Inspection } from './inspection.js';

/** Positive and negative instances by split. */
export function splitTable({ splits, groupColumn }: Pick<Inspection, 'splits' | 'groupColumn'>): ReportTable {
  const counts = ['positive', 'negative', 'unknown', 'total', ...(groupColumn ? [groupColumn] : [])];
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
        .map(({ split, positive, negative, unknown, total, groups }): Cell[] => [
          split,
          positive,
          negative,
          unknown,
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
