// All runs, live.

import { VirtualRows } from '../../parts/VirtualRows.js';
import { address, go } from '../../state/address.js';
import { useShortcuts } from '../../state/keys.js';
import { runList } from '../../state/runs.js';
import type { RunRow } from '../../wire/runs.js';
import { groupKey, type SortKey, tableLines } from './groups.js';
import { Line } from './Line.js';

/** Columns of differing fields; the rest is on the page of a run. */
const mostFields = 6;

const columns: readonly { readonly by: SortKey; readonly title: string; readonly isNumber?: boolean }[] = [
  { by: 'name', title: 'Run' },
  { by: 'state', title: 'State' },
  { by: 'best', title: 'Best', isNumber: true },
  { by: 'decidedF1', title: 'F1 decided', isNumber: true },
  { by: 'decidedFalseAlarms', title: 'False alarms', isNumber: true },
];

export function RunsView() {
  const list = runList.value;
  const state = address.value;
  const sort = columns.find(({ by }) => by === state.get('sort'))?.by ?? 'started';
  const isDescending = state.get('order') !== 'up';
  const isGrouped = state.get('seeds') !== 'apart';
  const find = state.get('find') ?? '';
  const showsArchived = state.get('archived') === 'shown';
  const open = new Set(state.getAll('open').flatMap((text) => text.split('\n')));
  useShortcuts([
    { key: '/', text: 'find a run', act: () => document.querySelector<HTMLInputElement>('#find')?.focus() },
    { key: 'g', text: 'group seeds', act: () => go({ seeds: isGrouped ? 'apart' : null }) },
  ]);
  if (!list) return <p class="quiet empty">Reading the runs…</p>;
  const lines = tableLines(list.rows, { sort, isDescending, isGrouped, open, find, showsArchived });
  const fields = list.differing.slice(0, mostFields);
  const metrics = [...new Set(list.rows.map(({ metric }) => metric))];
  const shownColumns = columns.map((column) =>
    column.by === 'best' && metrics.length === 1 ? { ...column, title: `Best ${metrics[0]}` } : column,
  );
  const archived = list.rows.filter(({ isArchived }) => isArchived).length;
  const template = `minmax(210px, 3fr) minmax(176px, 1fr) 70px 72px 78px 84px ${fields.map(() => 'minmax(56px, 1fr)').join(' ')}`;
  const toggle = (rows: readonly RunRow[]) => {
    const key = groupKey(rows);
    const next = open.has(key) ? [...open].filter((each) => each !== key) : [...open, key];
    go({ open: next.filter((each) => each !== '').join('\n') }, 'replace');
  };
  const sorted = (key: SortKey) =>
    go({ sort: key, order: sort === key && isDescending ? 'up' : null }, 'replace');
  return (
    <section class="runs-view">
      <div class="tools">
        <input
          id="find"
          type="search"
          placeholder="Find by name, state or setting"
          aria-label="Find runs"
          value={find}
          onInput={(event) => go({ find: event.currentTarget.value }, 'replace')}
        />
        <label>
          <input
            type="checkbox"
            checked={isGrouped}
            onChange={() => go({ seeds: isGrouped ? 'apart' : null }, 'replace')}
          />{' '}
          group seeds
        </label>
        {archived > 0 && (
          <label>
            <input
              type="checkbox"
              checked={showsArchived}
              onChange={() => go({ archived: showsArchived ? null : 'shown' }, 'replace')}
            />{' '}
            {archived} archived
          </label>
        )}
        <span class="small faint">{moreFields(list.differing.length - mostFields)}</span>
      </div>
      {list.problems.map((problem) => (
        <p class="warning small" key={problem}>
          {problem}
        </p>
      ))}
      {lines.length === 0 ? (
        <Empty hasRuns={list.rows.length > 0} folders={list.folders} />
      ) : (
        <div class="run-table" role="table" aria-label="Runs" aria-rowcount={lines.length}>
          <div class="run-line head" role="row" style={{ '--columns': template }}>
            {shownColumns.slice(0, 2).map((column) => (
              <HeadCell key={column.by} {...column} sort={sort} isDescending={isDescending} onSort={sorted} />
            ))}
            <span role="columnheader">Curve</span>
            {shownColumns.slice(2).map((column) => (
              <HeadCell key={column.by} {...column} sort={sort} isDescending={isDescending} onSort={sorted} />
            ))}
            {fields.map((field) => (
              <span role="columnheader" class="field" title={field} key={field}>
                {shortField(field)}
              </span>
            ))}
          </div>
          <VirtualRows
            role="rowgroup"
            count={lines.length}
            height={isNarrow() ? 76 : 44}
            label="Runs"
            keyOf={(i) => lines[i]!.key}
          >
            {(i) => <Line line={lines[i]!} fields={fields} template={template} onToggle={toggle} />}
          </VirtualRows>
        </div>
      )}
    </section>
  );
}

/** Where the style sheet shows a run on two lines, as on a phone. */
function isNarrow(): boolean {
  return matchMedia('(max-width: 860px)').matches;
}

function HeadCell(props: {
  readonly title: string;
  readonly sort: SortKey;
  readonly isDescending: boolean;
  readonly onSort: (key: SortKey) => void;
  readonly by: SortKey;
  readonly isNumber?: boolean;
}) {
  const { title, by, sort, isDescending, onSort, isNumber = false } = props;
  const order = sort !== by ? 'none' : isDescending ? 'descending' : 'ascending';
  return (
    <span role="columnheader" aria-sort={order} class={isNumber ? 'number' : ''}>
      <button type="button" onClick={() => onSort(by)}>
        {title}
        {order === 'none' ? '' : isDescending ? ' ↓' : ' ↑'}
      </button>
    </span>
  );
}

/**
 * The part of a field's name that tells it apart: `loss.name` is the loss.
 *
 * @example
 * shortField('data.digits.scenes.train') // 'train'
 */
function shortField(field: string): string {
  const parts = field.split('.');
  return (parts.at(-1) === 'name' ? parts.at(-2) : parts.at(-1)) ?? field;
}

function moreFields(count: number): string {
  if (count <= 0) return '';
  return count === 1 ? '1 more field differs; see the runs' : `${count} more fields differ; see the runs`;
}

function Empty({ hasRuns, folders }: { readonly hasRuns: boolean; readonly folders: readonly string[] }) {
  if (hasRuns) return <p class="quiet empty">No run has these words.</p>;
  return (
    <div class="empty">
      <p>
        There are no runs below <bdi>{folders.join(', ')}</bdi> yet. Start one, and it appears here:
      </p>
      <pre>anyclass train quick --run runs/first</pre>
    </div>
  );
}
