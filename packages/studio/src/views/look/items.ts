// The images of the address's filters, from the tables, the suspects or the look-alikes.

import { signal } from '@preact/signals';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { address } from '../../state/address.js';
import { chosenRun, runsById } from '../../state/runs.js';
import { ask } from '../../state/server.js';
import type { Background, LookAlikes, LookSplit, Suspect, Suspects } from '../../wire/look.js';
import { type Filters, type Show, shownRows, shows, usualOrder } from './filters.js';
import { type Loaded, type LookTable, labelsAt, unknownAt, useTable } from './table.js';

/** An image to show. */
export interface LookItem {
  readonly name: string;
  /** Its row in the table; undefined if it is in another split. */
  readonly row?: number | undefined;
  readonly split: string;
  readonly labels: readonly string[];
  /** Classes of which it is not known whether they are present. */
  readonly unknown: readonly string[];
  /** Why it is shown, if that is not plain. */
  readonly note?: string | undefined;
  /** A label that the model contradicts. */
  readonly suspect?: Suspect | undefined;
}

export interface LookItems {
  readonly count: number;
  at(index: number): LookItem;
  indexOf(name: string): number;
}

/** Names in the lasso of the map, of a run. */
export const picked = signal<{ readonly run: string; readonly names: ReadonlySet<string> } | undefined>(
  undefined,
);

export interface LookState {
  readonly run: string;
  readonly filters: Filters;
  readonly split: LookSplit;
  readonly table: Loaded<LookTable>;
  /** Runs whose test images are sealed and asked for. */
  readonly sealed: readonly string[];
  /** Asks for sealed images again, after they were opened. */
  readonly reload: () => void;
  /** Whether test images are left out of a list because they are sealed. */
  readonly isWithoutTest: boolean;
  /** What keeps the images from being shown, or that they are being looked for. */
  readonly pending?: string | undefined;
  readonly items: LookItems;
}

/** Follows the address: which images of which run. Undefined without a run. */
export function useLook(): LookState | undefined {
  const state = address.value;
  const row = chosenRun.value;
  const show = shows.find((each) => each === state.get('show')) ?? 'alarms';
  const split = splitIn(state.get('split'));
  const against = runsById.value.get(state.get('against') ?? '');
  const [openings, setOpenings] = useState(0);
  const table = useTable(row?.id, split, `${row?.state} ${openings}`);
  const other = useTable(against?.id, split, `${against?.state} ${openings}`);
  const listed = useListed(row?.id, show);
  const shownTable = table?.state === 'ready' ? table.value : undefined;
  const otherTable = other?.state === 'ready' ? other.value : undefined;
  const lasso = picked.value?.run === row?.id ? picked.value?.names : undefined;
  const filters = useMemo(() => filtersOf(state, show, shownTable, lasso), [state, show, shownTable, lasso]);
  const items = useMemo(() => {
    if (listed?.state === 'ready') return listItems(filteredList(listed.value.items, filters, shownTable));
    if (listed || !shownTable || (other && other.state !== 'ready')) return noItems;
    return tableItems(shownTable, shownRows(shownTable, filters, otherTable));
  }, [listed, filters, shownTable, otherTable, other?.state]);
  if (!row || !table) return undefined;
  const isSealed = (load: Loaded<LookTable> | undefined) =>
    load?.state === 'failed' && load.isSealed === true;
  return {
    run: row.id,
    filters,
    split,
    table,
    items,
    sealed: [
      ...(isSealed(table) ? [row.id] : []),
      ...(against && against.id !== row.id && isSealed(other) ? [against.id] : []),
    ],
    reload: () => setOpenings((n) => n + 1),
    isWithoutTest: listed?.state === 'ready' && listed.value.isTestSealed,
    pending: pendingOf(table, other, listed),
  };
}

function pendingOf(...loads: readonly (Loaded<unknown> | Progressing | undefined)[]): string | undefined {
  for (const load of loads) {
    if (load?.state === 'failed') return load.reason;
    if (load?.state === 'working')
      return load.total === 0 ? 'Reading all images…' : `Reading ${load.done} of ${load.total} images…`;
  }
  return loads.some((load) => load?.state === 'loading') ? 'Reading…' : undefined;
}

type Progressing = Extract<Background<never>, { state: 'working' }>;

function splitIn(text: string | null): LookSplit {
  return text === 'test' || text === 'decision' ? text : 'validation';
}

function filtersOf(
  state: URLSearchParams,
  show: Show,
  table: LookTable | undefined,
  among: ReadonlySet<string> | undefined,
): Filters {
  const number = (name: string, otherwise: number) => {
    const text = state.get(name);
    const value = text === null ? otherwise : Number(text) / 100;
    return Number.isFinite(value) ? value : otherwise;
  };
  const indexIn = (list: readonly string[] | undefined, name: string | null) => {
    const at = name === null ? -1 : (list ?? []).indexOf(name);
    return at < 0 ? undefined : at;
  };
  const order = state.get('order');
  return {
    show,
    classIndex: indexIn(table?.classes, state.get('class')),
    group: indexIn(table?.groups, state.get('group')),
    from: number('from', 0),
    to: number('to', 1),
    order: order === 'high' || order === 'low' || order === 'name' ? order : usualOrder(show),
    among: state.get('picked') === 'lasso' ? (among ?? new Set()) : undefined,
  };
}

const noItems: LookItems = {
  count: 0,
  at: () => ({ name: '', split: '', labels: [], unknown: [] }),
  indexOf: () => -1,
};

function tableItems(table: LookTable, rows: readonly number[]): LookItems {
  return {
    count: rows.length,
    at: (i) => {
      const row = rows[i] ?? 0;
      const [labels, unknown] = [labelsAt(table, row), unknownAt(table, row)];
      return { name: table.names[row]!, row, split: table.split, labels, unknown };
    },
    indexOf: (name) => {
      const row = table.rowOf.get(name);
      return row === undefined ? -1 : rows.indexOf(row);
    },
  };
}

function listItems(list: readonly LookItem[]): LookItems {
  return {
    count: list.length,
    at: (i) => list[i]!,
    indexOf: (name) => list.findIndex((item) => item.name === name),
  };
}

/** Suspects or look-alikes. */
interface Listed {
  readonly items: readonly LookItem[];
  readonly isTestSealed: boolean;
}

/** Suspects or look-alikes, as they come from the server. */
function useListed(run: string | undefined, show: Show): Loaded<Listed> | Progressing | undefined {
  const kind = show === 'suspects' || show === 'alike' ? show : undefined;
  const [found, setFound] = useState<{ key: string; now: Loaded<Listed> | Progressing }>();
  const key = `${run}\n${kind}`;
  useEffect(() => {
    if (run === undefined || kind === undefined) return;
    const aborted = new AbortController();
    const set = (now: Loaded<Listed> | Progressing) => {
      if (!aborted.signal.aborted) setFound({ key, now });
    };
    const look = async () => {
      if (kind === 'suspects') {
        const { suspects, isTestSealed } = await ask<Suspects>('look/suspects', { run }, aborted.signal);
        return set({ state: 'ready', value: { items: suspects.map(suspectItem), isTestSealed } });
      }
      for (;;) {
        const now = await ask<Background<LookAlikes>>('look/alike', { run }, aborted.signal);
        if (now.state === 'ready')
          return set({
            state: 'ready',
            value: { items: now.result.sets.flatMap(setItems), isTestSealed: false },
          });
        set(now);
        if (now.state === 'failed' || aborted.signal.aborted) return;
        await new Promise((next) => setTimeout(next, 700));
      }
    };
    look().catch((error) => set({ state: 'failed', reason: String(error?.message ?? error) }));
    return () => aborted.abort();
  }, [key]);
  if (kind === undefined || run === undefined) return undefined;
  return found?.key === key ? found.now : { state: 'loading' };
}

function suspectItem(suspect: Suspect): LookItem {
  const { name, split, labels, unknown, class: className, kind } = suspect;
  return {
    name,
    split,
    labels,
    unknown,
    suspect,
    note: kind === 'missing' ? `+ ${className}?` : `− ${className}?`,
  };
}

function setItems(set: LookAlikes['sets'][number], number: number): LookItem[] {
  const areAcross = new Set(set.map(({ split }) => split)).size > 1;
  return set.map((image) => ({
    ...image,
    note: `set ${number + 1} of ${set.length}${areAcross ? `, ${image.split}` : ''}`,
  }));
}

/** Of a list, the class and the lasso count; a row's number is added where the table has it. */
function filteredList(
  list: readonly LookItem[],
  { classIndex, among }: Filters,
  table: LookTable | undefined,
): LookItem[] {
  const className = classIndex === undefined ? undefined : table?.classes[classIndex];
  return list
    .filter(({ name }) => !among || among.has(name))
    .filter(
      ({ suspect, labels }) =>
        className === undefined || suspect?.class === className || (!suspect && labels.includes(className)),
    )
    .map((item) => ({ ...item, row: table?.rowOf.get(item.name) }));
}
