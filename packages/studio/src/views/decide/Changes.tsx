// The images that change sides, and those that are next to.

import { countText, percentText } from '@anyclass/kit';
import { useComputed } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import { address, go } from '../../state/address.js';
import { useShortcuts } from '../../state/keys.js';
import { notePicture, pictureProblem } from '../../state/pictures.js';
import { ask, sourceOf } from '../../state/server.js';
import type { RowNames } from '../../wire/decide.js';
import type { RunRow } from '../../wire/runs.js';
import type { Judged, ShownRow } from './messages.js';

const outcomes = ['clear', 'review', 'alarm'];

export function Changes(props: {
  readonly run: string;
  readonly instance: RunRow['instance'];
  readonly judged: Judged;
}) {
  const { run, instance, judged } = props;
  const { moves, shown } = judged;
  const total = moves.reduce((sum, { count }) => sum + count, 0);
  const problem = pictureProblem(run);
  const hasNext = shown.some(({ isMoved }) => !isMoved);
  // Not with every change of the address: handles move there.
  const isHot = useComputed(() => address.value.has('heat')).value;
  useShortcuts([
    { key: 'h', text: 'heat maps', act: () => go({ heat: isHot ? null : 'presence' }, 'replace') },
  ]);
  const names = useNames(
    run,
    shown.map(({ row }) => row),
    isHot && problem === undefined,
  );
  return (
    <div class="panel">
      <div class="changes-title">
        <h3>
          {total === 0
            ? 'Next to change sides'
            : `${countText(total)} ${total === 1 ? `${instance} changes` : `${instance}s change`} sides`}
        </h3>
        <small aria-live="polite">
          {total === 0
            ? `the ${instance}s closest to a handle`
            : `${moves.map(({ isPositive, from, to, count }) => `${countText(count)} ${isPositive ? 'positive' : 'negative'} ${outcomes[from]} → ${outcomes[to]}`).join(', ')}${hasNext ? '; framed: changed, pale: next' : ''}`}
        </small>
      </div>
      {problem !== undefined && <p class="note">{problem}</p>}
      <ul class="changes">
        {shown.map((row) => (
          <Shown
            key={row.row}
            run={run}
            row={row}
            isPale={total > 0 && !row.isMoved}
            hasPicture={problem === undefined}
            name={isHot ? names.get(row.row) : undefined}
          />
        ))}
      </ul>
    </div>
  );
}

/** Names of the rows, once they have stood still: heat maps are asked for by name, and take a moment each. */
function useNames(run: string, rows: readonly number[], isWanted: boolean): ReadonlyMap<number, string> {
  const [names, setNames] = useState<ReadonlyMap<number, string>>(new Map());
  const asked = isWanted ? rows.join(',') : '';
  useEffect(() => {
    if (asked === '') return;
    const aborted = new AbortController();
    const wait = setTimeout(() => {
      ask<RowNames>('rows', { run, rows: asked }, aborted.signal).then(
        ({ names: found }) =>
          setNames(new Map(asked.split(',').map((row, i) => [Number(row), found[i] ?? '']))),
        () => {},
      );
    }, 300);
    return () => {
      clearTimeout(wait);
      aborted.abort();
    };
  }, [run, asked]);
  return names;
}

function Shown(props: {
  readonly run: string;
  readonly row: ShownRow;
  readonly isPale: boolean;
  readonly hasPicture: boolean;
  /** Of the image whose heat map is shown. */
  readonly name: string | undefined;
}) {
  const { run, row, isPale, hasPicture, name } = props;
  const { tone, word } = toneOf(row);
  const label = `${row.classes.length === 0 ? (row.isPositive ? 'positive' : 'negative') : row.classes.join(', ')} ${percentText(row.presence, 0)}%`;
  return (
    <li class={isPale ? 'pale' : ''}>
      <span class="shot" style={row.isMoved ? { boxShadow: `0 0 0 3px var(--${tone})` } : {}}>
        {hasPicture && (
          <img
            src={sourceOf('picture', { run, row: row.row })}
            alt={`${label}, ${word}`}
            loading="lazy"
            onError={() => void notePicture(run, sourceOf('picture', { run, row: row.row }))}
          />
        )}
        {hasPicture && name !== undefined && (
          <img
            class="heat"
            src={sourceOf('look/heat', { run, name, target: row.classes[0] ?? 'presence' })}
            alt=""
          />
        )}
      </span>
      <b class={tone}>{row.isMoved ? `→ ${word}` : word}</b>
      <bdi>{label}</bdi>
    </li>
  );
}

function toneOf({ isPositive, outcome }: ShownRow): { readonly tone: string; readonly word: string } {
  const tones = isPositive ? ['missed', 'review', 'found'] : ['clear', 'review', 'false-alarm'];
  const words = isPositive ? ['missed', 'review', 'found'] : ['clear', 'review', 'false alarm'];
  return { tone: tones[outcome]!, word: words[outcome]! };
}
