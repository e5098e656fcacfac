// What surrounds every view: the rail of runs, the tabs, keys and messages.

import { visible } from '@anyclass/kit';
import { Component, type ComponentChildren, type ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { durationText, metricText, percent, splitId } from './parts/numbers.js';
import { RunName } from './parts/RunName.js';
import { Spark } from './parts/Spark.js';
import { VirtualRows } from './parts/VirtualRows.js';
import { address, followed, go, linkTo } from './state/address.js';
import { keyLines, useShortcuts } from './state/keys.js';
import { dismiss, notices } from './state/notices.js';
import { chosenRun, isConnected, newestFirst, runList } from './state/runs.js';
import { type View, views } from './views/views.js';
import type { RunRow } from './wire/runs.js';

export function Shell() {
  const view = views.find(({ name }) => name === address.value.get('view')) ?? views[0]!;
  const run = chosenRun.value;
  useEffect(() => {
    document.title = [view.title, view.ofRun ? run?.id : undefined, 'anyclass studio']
      .filter((text) => text !== undefined)
      .map(visible)
      .join(' · ');
  }, [view, run?.id]);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it only catches the clicks on links inside
    // biome-ignore lint/a11y/useKeyWithClickEvents: Enter on a link is a click
    <div class="app" onClick={followed}>
      <Rail view={view} />
      <main class="work" id="main">
        <Tabs view={view} />
        {!isConnected.value && (
          <p class="warning small" role="alert">
            The server does not answer. What is shown may be old; start it again with{' '}
            <code>anyclass studio</code>.
          </p>
        )}
        <LoadedView view={view} />
      </main>
      <Notices />
    </div>
  );
}

function Tabs({ view }: { readonly view: View }) {
  return (
    <div class="top">
      <nav class="tabs" aria-label="Views">
        {views.map(({ name, title }) => (
          <a key={name} href={linkTo({ view: name })} aria-current={name === view.name ? 'page' : undefined}>
            {title}
          </a>
        ))}
      </nav>
    </div>
  );
}

/** Loads the code of a view when it is first shown. */
function LoadedView({ view }: { readonly view: View }) {
  const [loaded, setLoaded] = useState<{ readonly name: string; readonly Shown: ComponentType }>();
  useEffect(() => {
    let isCurrent = true;
    void view.load().then((Shown) => {
      if (isCurrent) setLoaded({ name: view.name, Shown });
    });
    return () => {
      isCurrent = false;
    };
  }, [view]);
  if (loaded?.name !== view.name) return <p class="quiet empty">Loading…</p>;
  const { Shown } = loaded;
  return (
    <Fence key={`${view.name} ${address.value.get('run')}`}>
      <Shown />
    </Fence>
  );
}

/** Shows what went wrong in a view, so that the rest of the page stays. */
class Fence extends Component<{ children: ComponentChildren }, { problem?: string }> {
  static override getDerivedStateFromError(error: unknown) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }

  override render() {
    const { problem } = this.state;
    return problem === undefined ? this.props.children : <p class="warning">This view failed: {problem}</p>;
  }
}

function Rail({ view }: { readonly view: View }) {
  const list = runList.value;
  const rows = newestFirst(list?.rows ?? []).filter(({ isArchived }) => !isArchived);
  const chosen = rows.findIndex(({ id }) => id === chosenRun.value?.id);
  const target = view.ofRun ? view.name : 'run';
  const hop = (by: number) => {
    const next = rows[Math.max(0, Math.min(rows.length - 1, chosen + by))];
    if (next) go({ view: target, run: next.id });
  };
  useShortcuts([
    { key: 'j', text: 'next run', act: () => hop(1) },
    { key: 'k', text: 'previous run', act: () => hop(-1) },
  ]);
  return (
    <aside class="rail" aria-label="Runs">
      <h2>
        <a href={linkTo({ view: 'runs' })}>Runs</a>{' '}
        <small>{list ? `${rows.length} in ${list.folders.join(', ')}` : ''}</small>
      </h2>
      <div class="menu">
        <label class="hidden-text" for="pick">
          Run
        </label>
        <select
          id="pick"
          value={rows[chosen]?.id}
          onChange={(event) => go({ view: target, run: event.currentTarget.value })}
        >
          {rows.slice(0, 200).map(({ id }) => (
            <option key={id} value={id}>
              {id}
            </option>
          ))}
        </select>
      </div>
      <VirtualRows
        class="runs"
        count={rows.length}
        height={46}
        label="Runs"
        shown={chosen}
        keyOf={(i) => rows[i]!.id}
      >
        {(i) => <RailRun row={rows[i]!} view={target} isChosen={view.ofRun && i === chosen} />}
      </VirtualRows>
      <Keys />
    </aside>
  );
}

function Keys() {
  return (
    <dl class="legend-keys" aria-label="Keyboard">
      {keyLines.value.map(({ shown, text }) => [
        <dt key={shown}>
          <kbd>{shown}</kbd>
        </dt>,
        <dd key={`${shown} text`}>{text}</dd>,
      ])}
    </dl>
  );
}

function RailRun({
  row,
  view,
  isChosen,
}: {
  readonly row: RunRow;
  readonly view: string;
  readonly isChosen: boolean;
}) {
  const isLive = row.state === 'running' || row.state === 'starting';
  const isBad = row.state === 'failed' || row.state === 'lost';
  return (
    <a href={linkTo({ view, run: row.id })} aria-current={isChosen ? 'true' : undefined} title={row.id}>
      <b>
        <RunName name={splitId(row.id).name} />
      </b>
      <small class={isBad ? 'missed' : ''}>
        {isLive && <i class="live" />}
        {railText(row)}
      </small>
      <Spark values={row.curve} state={row.state} done={row.progress} />
    </a>
  );
}

function railText({
  state,
  epoch,
  epochs,
  secondsLeft,
  decidedF1,
  budget,
  metric,
  best,
  message,
}: RunRow): string {
  if (state === 'running')
    return `epoch ${Math.min(epoch + 1, epochs)} of ${epochs}${secondsLeft === null ? '' : `, ${durationText(secondsLeft)}`}`;
  if (state === 'failed' || state === 'lost') return `${message || state}: resume`;
  if (state !== 'finished') return state;
  if (decidedF1 !== null && budget !== null) return `F1 ${percent(decidedF1, 0)} at ${percent(budget, 0)}%`;
  return `${metric} ${metricText(metric, best)}`;
}

function Notices() {
  return (
    <div class="notices" role="status">
      {notices.value.map(({ id, text, isProblem }) => (
        <p key={id} class={isProblem ? 'problem' : ''}>
          <bdi>{text}</bdi>
          <button type="button" class="button quiet-button" aria-label="Close" onClick={() => dismiss(id)}>
            ×
          </button>
        </p>
      ))}
    </div>
  );
}
