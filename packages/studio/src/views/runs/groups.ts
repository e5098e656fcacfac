// Runs that differ in their seed alone, as one line.

import { splitId } from '../../parts/numbers.js';
import { newestFirst } from '../../state/runs.js';
import type { RunRow } from '../../wire/runs.js';

/** A line of the table: a run, or several that differ in their seed. */
export type TableLine =
  | { readonly kind: 'run'; readonly key: string; readonly row: RunRow; readonly isInner: boolean }
  | {
      readonly kind: 'group';
      readonly key: string;
      readonly rows: readonly RunRow[];
      readonly isOpen: boolean;
    };

export type SortKey = 'started' | 'name' | 'state' | 'best' | 'decidedF1' | 'decidedFalseAlarms';

export interface TableOptions {
  readonly sort: SortKey;
  readonly isDescending: boolean;
  readonly isGrouped: boolean;
  /** The open groups, by the id of their first run. */
  readonly open: ReadonlySet<string>;
  /** Words that a run's name or settings must have. */
  readonly find: string;
  readonly showsArchived: boolean;
}

/** Returns the lines of the table. */
export function tableLines(rows: readonly RunRow[], options: TableOptions): TableLine[] {
  const words = options.find
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  const shown = newestFirst(rows).filter(
    (row) => (options.showsArchived || !row.isArchived) && words.every((word) => textOf(row).includes(word)),
  );
  const groups = options.isGrouped ? grouped(shown) : shown.map((row) => [row]);
  const sorted = groups.sort((a, b) => compared(a, b, options));
  return sorted.flatMap((group): TableLine[] => {
    const [first] = group;
    if (!first) return [];
    if (group.length === 1) return [{ kind: 'run', key: first.id, row: first, isInner: false }];
    const key = group.map(({ id }) => id).sort()[0]!;
    const isOpen = options.open.has(key);
    const inner = isOpen
      ? [...group]
          .sort((a, b) => a.seed - b.seed)
          .map((row): TableLine => ({ kind: 'run', key: row.id, row, isInner: true }))
      : [];
    return [{ kind: 'group', key: `group ${key}`, rows: group, isOpen }, ...inner];
  });
}

/** The key of a group in the address. */
export function groupKey(rows: readonly RunRow[]): string {
  return rows.map(({ id }) => id).sort()[0] ?? '';
}

function textOf({ id, dataset, network, loss, state, settings }: RunRow): string {
  return [id, dataset, network, loss, state, ...Object.values(settings)].join(' ').toLowerCase();
}

function grouped(rows: readonly RunRow[]): RunRow[][] {
  const groups = new Map<string, RunRow[]>();
  for (const row of rows) {
    const key = `${row.isArchived} ${row.group}`;
    const group = groups.get(key);
    if (group) group.push(row);
    else groups.set(key, [row]);
  }
  return [...groups.values()];
}

function compared(a: readonly RunRow[], b: readonly RunRow[], { sort, isDescending }: TableOptions): number {
  const [first, second] = [sortValue(a, sort), sortValue(b, sort)];
  if (first === second) return 0;
  // What has no value stands last, whichever way.
  if (first === null) return 1;
  if (second === null) return -1;
  return (first < second ? -1 : 1) * (isDescending ? -1 : 1);
}

function sortValue(rows: readonly RunRow[], sort: SortKey): number | string | null {
  const [first] = rows;
  if (!first) return null;
  if (sort === 'name') return splitId(first.id).name;
  if (sort === 'started' || sort === 'state') return first[sort];
  return meanOf(rows.map((row) => row[sort]));
}

/** The mean of the values that are known; null without any. */
export function meanOf(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0) / known.length;
}
