// The chosen image: large, with its labels, what the model says, and where it sees it.

import { heatScale } from '@anyclass/kit';
import { Fragment } from 'preact';
import { Html } from '../../parts/Html.js';
import { Picture } from '../../parts/Picture.js';
import { type ProbabilityBar, ProbabilityBars } from '../../parts/ProbabilityBars.js';
import { go, linkTo } from '../../state/address.js';
import { doubtText } from './lists.js';
import { type LookItem, labelText } from './lookItem.js';
import { type LookTable, predictedAt } from './table.js';
import { outcomes, toneOf } from './tone.js';

const mostClasses = 12;

export interface DetailProps {
  readonly run: string;
  readonly item: LookItem;
  readonly table: LookTable | undefined;
  /** The target whose heat map is shown; undefined for none. */
  readonly heat: string | undefined;
}

export function Detail({ run, item, table, heat }: DetailProps) {
  const { name, row, split, suspects = [] } = item;
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
          <bdi>{labelText(item)}</bdi>
        </dd>
        {suspects.map((suspect) => (
          <Fragment key={suspect.class}>
            <dt>Doubt</dt>
            <dd>{doubtText(suspect)}</dd>
          </Fragment>
        ))}
        {table && row !== undefined && <Said table={table} row={row} />}
        <dt>Split</dt>
        <dd>{split}</dd>
      </dl>
      {table && row !== undefined && (
        <ProbabilityBars
          bars={barsOf(table, row)}
          shown={heat}
          onShow={(target) => go({ heat: target ?? null }, 'replace')}
        />
      )}
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
        <b class={toneOf(table, row)}>{outcome}</b> <bdi>{predictedAt(table, row).join(', ')}</bdi>
      </dd>
      {group !== undefined && (
        <>
          <dt>Group</dt>
          <dd>
            <a href={linkTo({ group, show: 'all' })}>
              <bdi>{group}</bdi>
            </a>
          </dd>
        </>
      )}
    </>
  );
}

function barsOf(table: LookTable, row: number): ProbabilityBar[] {
  const { classes, scores, targets, thresholds, presence, gate } = table;
  const at = row * classes.length;
  const ofClasses = classes.map((target, j) => ({
    target,
    probability: scores[at + j]!,
    threshold: thresholds[j] ?? null,
    isStrong: targets[at + j] === 1,
  }));
  const top = ofClasses
    .sort((a, b) => Number(b.isStrong) - Number(a.isStrong) || b.probability - a.probability)
    .slice(0, mostClasses);
  return [{ target: 'presence', probability: presence[row]!, threshold: gate, isStrong: false }, ...top];
}
