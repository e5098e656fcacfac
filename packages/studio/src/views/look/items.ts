// The images of the address's filters, from the tables, the suspects or the look-alikes.

import { useMemo, useState } from 'preact/hooks';
import { useBackground } from '../../parts/background.js';
import { address } from '../../state/address.js';
import { chosenRun, runsById } from '../../state/runs.js';
import type { Background, EmbeddingMap, LookSplit } from '../../wire/look.js';
import { type Filters, type Show, shownRows, shows, usualOrder } from './filters.js';
import { isInside, lassoIn } from './lasso.js';
import { filteredList, useListed } from './lists.js';
import { type LookItems, listItems, noItems, tableItems } from './lookItem.js';
import { type Loaded, type LookTable, progressOf, useTable } from './table.js';

export interface LookState {
  readonly run: string;
  readonly filters: Filters;
  readonly split: LookSplit;
  readonly table: Loaded<LookTable>;
  /** The map of embeddings, while it is shown or its lasso chooses the images. */
  readonly map: Background<EmbeddingMap> | undefined;
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
  const lasso = state.get('lasso');
  const needsMap = row && (lasso !== null || state.get('map') === 'shown');
  const map = useBackground<EmbeddingMap>('look/map', needsMap ? { run: row.id } : undefined);
  const shownTable = readyValue(table);
  const otherTable = readyValue(other);
  const shownMap = map?.state === 'ready' ? map.result : undefined;
  const among = useMemo(() => namesInside(lasso, shownMap), [lasso, shownMap]);
  const filters = useMemo(() => filtersOf(state, show, shownTable, among), [state, show, shownTable, among]);
  const items = useMemo(() => {
    if (lasso !== null && !shownMap) return noItems;
    if (listed?.state === 'ready') return listItems(filteredList(listed.value.items, filters, shownTable));
    if (listed || !shownTable || (other && other.state !== 'ready')) return noItems;
    return tableItems(shownTable, shownRows(shownTable, filters, otherTable));
  }, [listed, filters, shownTable, otherTable, other?.state, shownMap]);
  if (!row || !table) return undefined;
  const isSealed = (load: Loaded<LookTable> | undefined) =>
    load?.state === 'failed' && load.isSealed === true;
  return {
    run: row.id,
    filters,
    split,
    table,
    map,
    items,
    sealed: [
      ...(isSealed(table) ? [row.id] : []),
      ...(against && against.id !== row.id && isSealed(other) ? [against.id] : []),
    ],
    reload: () => setOpenings((n) => n + 1),
    isWithoutTest: readyValue(listed)?.isTestSealed ?? false,
    pending: pendingOf([
      table,
      other,
      listed,
      lasso !== null && !shownMap ? progressOf(map, 'Embedding the images') : undefined,
    ]),
  };
}

function readyValue<Value>(load: Loaded<Value> | undefined): Value | undefined {
  return load?.state === 'ready' ? load.value : undefined;
}

function pendingOf(loads: readonly (Loaded<unknown> | undefined)[]): string | undefined {
  const failed = loads.find((load) => load?.state === 'failed');
  if (failed?.state === 'failed') return failed.reason;
  const loading = loads.find((load) => load?.state === 'loading');
  return loading?.state === 'loading' ? (loading.text ?? 'Reading…') : undefined;
}

function splitIn(text: string | null): LookSplit {
  return text === 'test' || text === 'decision' ? text : 'validation';
}

/** The images in the lasso of the address; undefined without one. */
function namesInside(lasso: string | null, map: EmbeddingMap | undefined): ReadonlySet<string> | undefined {
  const line = lassoIn(lasso);
  if (!line || !map) return undefined;
  return new Set(map.names.filter((_, i) => isInside([map.x[i]!, map.y[i]!], line)));
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
    among,
  };
}
