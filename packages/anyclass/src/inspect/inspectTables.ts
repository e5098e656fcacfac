// Tables of a dataset's counts.

import type { Cell, Column, ReportTable } from '../tables/index.js';
import type { Inspection } from './inspection.js';

/** Positive and negative instances by split, and undecided ones if any. */
export function splitTable({ splits, groupColumn }: Pick<Inspection, 'splits' | 'groupColumn'>): ReportTable {
  const hasUndecided = splits.some(({ undecided }) => undecided > 0);
  return {
    name: 'splits',
    table: {
      title: '',
      columns: [
        { title: 'split', kind: 'text' },
        ...countColumns('positive', 'negative', ...(hasUndecided ? ['undecided'] : []), 'total'),
        ...countColumns(...(groupColumn ? [`groups (by ${groupColumn})`] : [])),
        { title: 'negative %', kind: 'percent', digits: 1 },
      ],
      rows: splits
        .filter(({ total }) => total > 0)
        .map(({ split, positive, negative, undecided, total, groups }): Cell[] => [
          split,
          positive,
          negative,
          ...(hasUndecided ? [undecided] : []),
          total,
          ...(groupColumn ? [groups ?? null] : []),
          positive + negative === 0 ? null : negative / (positive + negative),
        ]),
    },
  };
}

/** Positive instances of each class by split, with its class-balancing weight. */
export function classTable({ classCounts, balance }: Inspection): ReportTable {
  const hasAnnotations = classCounts.some(({ annotations }) => annotations !== undefined);
  const hasDecision = classCounts.some(({ decision }) => decision !== undefined);
  return {
    name: 'class-counts',
    table: {
      title: '',
      columns: [
        { title: 'class', kind: 'text' },
        ...countColumns('train', 'validation', 'test', ...(hasDecision ? ['decision'] : [])),
        ...countColumns('total', ...(hasAnnotations ? ['objects'] : [])),
        { title: `weight (β ${balance.beta})`, kind: 'number' },
      ],
      rows: [
        ...classCounts.map(({ name, train, validation, test, decision, annotations }, j): Cell[] => [
          name,
          train,
          validation,
          test,
          ...(hasDecision ? [decision ?? 0] : []),
          train + validation + test + (decision ?? 0),
          ...(hasAnnotations ? [annotations ?? null] : []),
          balance.classWeights[j]!,
        ]),
        [
          ...['(negative)', null, null, null, null],
          ...(hasDecision ? [null] : []),
          ...(hasAnnotations ? [null] : []),
          balance.negativeWeight,
        ],
      ],
    },
  };
}

/** Unknown, uncertain, and soft labels of each class; undefined if every label is 0 or 1. */
export function labelTable({ labelCounts }: Pick<Inspection, 'labelCounts'>): ReportTable | undefined {
  if (labelCounts.every(({ unknown, uncertain, soft }) => unknown + uncertain + soft === 0)) return undefined;
  return {
    name: 'label-counts',
    table: {
      title: '',
      columns: [{ title: 'class', kind: 'text' }, ...countColumns('unknown', 'uncertain', 'soft')],
      rows: labelCounts.map(({ name, unknown, uncertain, soft }): Cell[] => [name, unknown, uncertain, soft]),
    },
  };
}

/** Nobody reads further, and each row is also there to copy and to save. */
const mostPairs = 300;

/** Pairs of classes that occur together, the most common first; undefined if none do. */
export function pairTable({
  pairedClasses: classes,
  classes: all,
  cooccurrence,
}: Pick<Inspection, 'classes' | 'pairedClasses' | 'cooccurrence'>): ReportTable | undefined {
  const pairs = classes.flatMap((name, j) =>
    classes.slice(j + 1).flatMap((other, k) => {
      const both = cooccurrence[j]![j + 1 + k]!;
      if (both === 0) return [];
      return [
        {
          name,
          other,
          both,
          first: both / cooccurrence[j]![j]!,
          second: both / cooccurrence[j + 1 + k]![j + 1 + k]!,
        },
      ];
    }),
  );
  if (pairs.length === 0) return undefined;
  const sorted = pairs.sort((a, b) => b.both - a.both);
  const left = sorted.length - mostPairs;
  return {
    name: 'pairs',
    table: {
      title: '',
      columns: [
        { title: 'class', kind: 'text' },
        { title: 'with', kind: 'text' },
        { title: 'both', kind: 'count' },
        { title: '% of first', kind: 'percent', digits: 1 },
        { title: '% of second', kind: 'percent', digits: 1 },
      ],
      rows: sorted
        .slice(0, mostPairs)
        .map(({ name, other, both, first, second }): Cell[] => [name, other, both, first, second]),
      ...((left > 0 || classes.length < all.length) && { note: leftOut(left, classes.length, all.length) }),
    },
  };
}

function leftOut(pairs: number, classes: number, of: number): string {
  const counted =
    classes < of
      ? `Pairs are counted among the ${classes} most common of ${of.toLocaleString('en-US')} classes. `
      : '';
  return `${counted}${pairs > 0 ? `${pairs.toLocaleString('en-US')} rarer pairs are left out; the inspection as JSON has them.` : ''}`.trim();
}

function countColumns(...titles: readonly string[]): Column[] {
  return titles.map((title) => ({ title, kind: 'count' }));
}
