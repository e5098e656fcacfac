// The chosen image: large, with its labels, what the model says, and where it sees it.

import { heatScale } from '@anyclass/kit';
import { Html } from '../../parts/Html.js';
import { percent } from '../../parts/numbers.js';
import { Picture } from '../../parts/Picture.js';
import { go } from '../../state/address.js';
import type { LookItem } from './items.js';
import { type LookTable, predictedAt } from './table.js';

const outcomes = ['clear', 'review', 'alarm'] as const;
const mostClasses = 12;

export interface DetailProps {
  readonly run: string;
  readonly item: LookItem;
  readonly table: LookTable | undefined;
  /** The target whose heat map is shown; undefined for none. */
  readonly heat: string | undefined;
}

export function Detail({ run, item, table, heat }: DetailProps) {
  const { name, row, labels, split, suspect } = item;
  return (
    <aside class="detail" aria-label="The chosen image">
      <Picture run={run} name={name} side={480} heat={heat} />
      {heat !== undefined && <Html text={heatScale()} />}
      <p class="detail-name small">
        <bdi>{name}</bdi>
      </p>
      <dl class="facts small">
        <dt>Labels</dt>
        <dd>
          <bdi>{labels.join(', ') || 'nothing here'}</bdi>
        </dd>
        {suspect && (
          <>
            <dt>Doubt</dt>
            <dd>
              <bdi>{suspect.class}</bdi> {suspect.kind === 'missing' ? 'may be missing' : 'may be wrong'}, the
              model says {percent(suspect.score)}%
            </dd>
          </>
        )}
        {table && row !== undefined && <Said table={table} row={row} />}
        <dt>Split</dt>
        <dd>{split}</dd>
      </dl>
      {table && row !== undefined && <Bars table={table} row={row} heat={heat} />}
    </aside>
  );
}

function Said({ table, row }: { readonly table: LookTable; readonly row: number }) {
  const outcome = outcomes[table.outcome[row]!]!;
  const group = table.groups[table.group[row]!];
  return (
    <>
      <dt>Model</dt>
      <dd>
        <b class={`outcome ${outcome}`}>{outcome}</b> <bdi>{predictedAt(table, row).join(', ')}</bdi>
      </dd>
      {group !== undefined && (
        <>
          <dt>Group</dt>
          <dd>
            <a href={`/?${withGroup(group)}`}>
              <bdi>{group}</bdi>
            </a>
          </dd>
        </>
      )}
    </>
  );
}

function withGroup(group: string): URLSearchParams {
  const next = new URLSearchParams(location.search);
  next.set('group', group);
  next.set('show', 'all');
  return next;
}

interface Bar {
  readonly target: string;
  readonly value: number;
  readonly threshold: number | null;
  readonly isLabeled: boolean;
}

function Bars({
  table,
  row,
  heat,
}: {
  readonly table: LookTable;
  readonly row: number;
  readonly heat: string | undefined;
}) {
  const { classes, scores, targets, thresholds, presence, gate } = table;
  const at = row * classes.length;
  const ofClasses: Bar[] = classes.map((target, j) => ({
    target,
    value: scores[at + j]!,
    threshold: thresholds[j] ?? null,
    isLabeled: targets[at + j] === 1,
  }));
  const top = ofClasses
    .sort((a, b) => Number(b.isLabeled) - Number(a.isLabeled) || b.value - a.value)
    .slice(0, mostClasses);
  const bars: Bar[] = [
    { target: 'presence', value: presence[row]!, threshold: gate, isLabeled: false },
    ...top,
  ];
  return (
    <ul class="bars small">
      {bars.map(({ target, value, threshold, isLabeled }) => (
        <li key={target}>
          <button
            type="button"
            class="bar"
            aria-pressed={heat === target}
            title="Where the model sees it"
            onClick={() => go({ heat: heat === target ? null : target }, 'replace')}
          >
            <span class={isLabeled ? 'labeled' : ''}>
              <bdi>{target}</bdi>
            </span>
            <span class="track">
              <i
                style={{ width: `${100 * value}%` }}
                class={threshold !== null && value >= threshold ? 'over' : ''}
              />
              {threshold !== null && <em style={{ left: `${100 * Math.min(1, threshold)}%` }} />}
            </span>
            <span class="number">{percent(value)}</span>
          </button>
        </li>
      ))}
    </ul>
  );
}
