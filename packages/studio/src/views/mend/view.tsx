// Mends labels by keyboard: of a run's own images, and of queues.

import { heatScale } from '@anyclass/kit';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Html } from '../../parts/Html.js';
import { percent } from '../../parts/numbers.js';
import { Layers, Picture } from '../../parts/Picture.js';
import { address, go } from '../../state/address.js';
import { useShortcuts } from '../../state/keys.js';
import { chosenRun } from '../../state/runs.js';
import { ask, attempt, sourceOf } from '../../state/server.js';
import type { Labels, QueueEntry, QueueItem } from '../../wire/mend.js';
import { FilterBar } from '../look/FilterBar.js';
import { type LookItem, type LookItems, useLook } from '../look/items.js';
import { SealedImages } from '../look/SealedImages.js';
import { classKeys } from './classKeys.js';
import { Exchange } from './Exchange.js';
import { Retrain } from './Retrain.js';
import { type Saving, useSaving } from './saving.js';

export function MendView() {
  const run = chosenRun.value;
  if (!run) {
    const id = address.value.get('run');
    return (
      <p class="quiet empty">{id === null ? 'There are no runs yet.' : `${id} is not there any more.`}</p>
    );
  }
  return <Mend key={run.id} run={run.id} />;
}

function Mend({ run }: { readonly run: string }) {
  const queue = address.value.get('queue') ?? undefined;
  return (
    <section class="mend-view">
      <h1 class="hidden-text">Labels of {run}</h1>
      {queue === undefined ? <OwnImages run={run} /> : <Queue run={run} queue={queue} />}
    </section>
  );
}

/** What is to be labeled, from whatever source. */
interface Work {
  readonly items: LookItems;
  readonly pending: string | undefined;
  /** Whether its images have heat maps. */
  readonly hasHeat: boolean;
  readonly imageOf: (item: LookItem, heat: string | undefined) => preact.ComponentChildren;
  /** The model's probability of a class, if it is shown. */
  readonly scoreOf: (item: LookItem, className: string) => number | undefined;
}

function OwnImages({ run }: { readonly run: string }) {
  const look = useLook();
  const saving = useSaving(run, undefined);
  if (!look || !saving) return <p class="quiet empty">Reading…</p>;
  if (look.sealed.length > 0) return <SealedImages look={look} />;
  const table = look.table.state === 'ready' ? look.table.value : undefined;
  const work: Work = {
    items: look.items,
    pending: look.pending,
    hasHeat: true,
    imageOf: ({ name }, heat) => <Picture run={run} name={name} side={640} heat={heat} />,
    scoreOf: ({ row }, className) =>
      table && row !== undefined
        ? table.scores[row * table.classes.length + table.classes.indexOf(className)]
        : undefined,
  };
  return (
    <>
      <div class="mend-bar">
        <QueueChoice />
        <FilterBar look={look} />
      </div>
      <Desk work={work} saving={saving}>
        <Exchange
          run={run}
          author={saving.author}
          names={() => Array.from({ length: look.items.count }, (_, i) => look.items.at(i).name)}
          onImported={saving.reload}
        />
        <Retrain run={run} count={saving.saved.size} />
      </Desk>
    </>
  );
}

function Queue({ run, queue }: { readonly run: string; readonly queue: string }) {
  const saving = useSaving(run, queue);
  const [items, setItems] = useState<readonly QueueItem[]>();
  useEffect(() => {
    const aborted = new AbortController();
    void attempt(async () => {
      const answer = await ask<{ items: QueueItem[] }>('mend/queue', { queue }, aborted.signal);
      if (!aborted.signal.aborted) setItems(answer.items);
    });
    return () => aborted.abort();
  }, [queue]);
  const list = (items ?? []).map(
    ({ name, title, note }): LookItem => ({
      name,
      split: '',
      labels: [],
      unknown: [],
      note: note || title,
    }),
  );
  const work: Work = {
    items: {
      count: list.length,
      at: (i) => list[i]!,
      indexOf: (name) => list.findIndex((item) => item.name === name),
    },
    pending: items === undefined ? 'Reading…' : undefined,
    hasHeat: false,
    imageOf: ({ name }) =>
      items?.find((item) => item.name === name)?.hasImage === false ? (
        <p class="quiet empty">No image was kept; look it up by its name.</p>
      ) : (
        <Layers image={sourceOf('mend/image', { queue, name, side: 640 })} name={name} />
      ),
    scoreOf: () => undefined,
  };
  return (
    <>
      <div class="mend-bar">
        <QueueChoice />
      </div>
      {saving ? (
        <Desk work={work} saving={saving}>
          <p class="small quiet">
            Labels go to <bdi>{saving.file}</bdi>.
          </p>
        </Desk>
      ) : (
        <p class="quiet empty">Reading…</p>
      )}
    </>
  );
}

const kinds: Readonly<Record<QueueEntry['kind'], string>> = {
  mine: 'hard negatives',
  select: 'to label next',
  audit: 'audits of the field',
};

function QueueChoice() {
  const [queues, setQueues] = useState<readonly QueueEntry[]>([]);
  useEffect(() => {
    void attempt(async () => setQueues(await ask<QueueEntry[]>('mend/queues')));
  }, []);
  return (
    <span class="choice">
      <label for="queue">Queue</label>
      <select
        id="queue"
        value={address.value.get('queue') ?? ''}
        onChange={(event) => go({ queue: event.currentTarget.value, image: null })}
      >
        <option value="">images of the run</option>
        {queues.map(({ id, kind, count }) => (
          <option key={id} value={id}>
            {kinds[kind]}: {id} ({count})
          </option>
        ))}
      </select>
    </span>
  );
}

/** The image, its labels and their keys. */
function Desk(props: {
  readonly work: Work;
  readonly saving: Saving;
  readonly children: preact.ComponentChildren;
}) {
  const { work, saving, children } = props;
  const { items } = work;
  const state = address.value;
  const at = items.count === 0 ? -1 : Math.max(0, items.indexOf(state.get('image') ?? ''));
  const item = at < 0 ? undefined : items.at(at);
  const heat = state.get('heat') || undefined;
  // Keys may come faster than renderings: what they do starts from what is so, not from what was drawn.
  const draft = useRef<{ readonly name: string; readonly labels: Labels }>(undefined);
  const [, redraw] = useState(0);
  const now = () => {
    const place = items.count === 0 ? -1 : Math.max(0, items.indexOf(address.value.get('image') ?? ''));
    const shown = place < 0 ? undefined : items.at(place);
    if (!shown) return undefined;
    const labels = draft.current?.name === shown.name ? draft.current.labels : labelsNow(shown, saving);
    return { place, shown, labels };
  };
  const current = now()?.labels;
  const show = (index: number) => {
    if (items.count > 0)
      go({ image: items.at(Math.max(0, Math.min(items.count - 1, index))).name }, 'replace');
  };
  /** Saves in the background and goes on; what fails is told. */
  const save = (labelsOf: (labels: Labels, item: LookItem) => Labels) => {
    const here = now();
    if (!here) return;
    draft.current = undefined;
    void saving.save(here.shown.name, labelsOf(here.labels, here.shown));
    show(here.place + 1);
  };
  const every = (label: 0 | null) => (): Labels =>
    Object.fromEntries(saving.classes.map((name) => [name, label]));
  const asShown = (labels: Labels) => labels;
  const accepted = (labels: Labels, { suspect }: LookItem): Labels =>
    suspect ? { ...labels, [suspect.class]: suspect.kind === 'missing' ? 1 : 0 } : labels;
  const toggle = (name: string) => {
    const here = now();
    if (!here) return;
    const labels: Labels = { ...here.labels, [name]: here.labels[name] === 1 ? 0 : 1 };
    draft.current = { name: here.shown.name, labels };
    redraw((n) => n + 1);
  };
  const suspect = item?.suspect;
  const keys = classKeys(saving.classes);
  useShortcuts([
    ...saving.classes.flatMap((name) => {
      const key = keys.get(name);
      return key === undefined ? [] : [{ key, act: () => toggle(name) }];
    }),
    { key: 'Enter', text: 'save these labels', act: () => save(asShown) },
    { key: 'n', text: 'nothing here', act: () => save(every(0)) },
    { key: 'u', text: 'unsure', act: () => save(every(null)) },
    ...(suspect
      ? [
          {
            key: 'y',
            text: `the model is right: ${suspect.kind === 'missing' ? '+' : '−'} ${suspect.class}`,
            act: () => save(accepted),
          },
        ]
      : []),
    {
      key: 'z',
      text: 'undo',
      act: () =>
        void saving.undo().then((name) => {
          if (name !== undefined) go({ image: name }, 'replace');
        }),
    },
    { key: 'ArrowRight', shown: '← →', text: 'image', act: () => show((now()?.place ?? 0) + 1) },
    { key: 'ArrowLeft', act: () => show((now()?.place ?? 0) - 1) },
    ...(work.hasHeat
      ? [
          {
            key: 'h',
            text: 'heat map',
            act: () => go({ heat: heat === undefined ? (suspect?.class ?? 'presence') : null }, 'replace'),
          },
        ]
      : []),
  ]);
  return (
    <div class="desk">
      <div class="desk-image">
        {item ? (
          work.imageOf(item, heat)
        ) : (
          <p class="quiet empty">{work.pending ?? 'No image is like this.'}</p>
        )}
        {item && heat !== undefined && work.hasHeat && <Html text={heatScale()} />}
        {item && (
          <p class="detail-name small">
            <bdi>{item.name}</bdi>
            <span class="quiet">
              {' '}
              {at + 1} of {items.count}
              {item.note !== undefined && ` · ${item.note}`}
            </span>
          </p>
        )}
      </div>
      <div class="desk-labels">
        {item && current && (
          <>
            <Standing item={item} saving={saving} isDraft={draft.current?.name === item.name} />
            <ul class="class-keys">
              {saving.classes.map((name) => {
                const score = work.scoreOf(item, name);
                return (
                  <li key={name}>
                    <button
                      type="button"
                      class={`class-key ${suspect?.class === name ? 'doubted' : ''}`}
                      aria-pressed={current[name] === 1}
                      onClick={() => toggle(name)}
                    >
                      <kbd>{keys.get(name) ?? ''}</kbd>
                      <bdi>{name}</bdi>
                      <span class="number quiet">
                        {current[name] === null || current[name] === undefined ? '? ' : ''}
                        {score === undefined ? '' : percent(score)}
                      </span>
                    </button>
                  </li>
                );
              })}
            </ul>
            <p class="desk-buttons">
              <button type="button" class="button" onClick={() => save(asShown)}>
                <kbd>Enter</kbd> Save
              </button>
              <button type="button" class="button quiet-button" onClick={() => save(every(0))}>
                <kbd>n</kbd> Nothing here
              </button>
              <button type="button" class="button quiet-button" onClick={() => save(every(null))}>
                <kbd>u</kbd> Unsure
              </button>
            </p>
          </>
        )}
        <p class="small">
          <label>
            Saved as{' '}
            <input
              class="author"
              value={saving.author}
              maxLength={200}
              onChange={(event) => saving.setAuthor(event.currentTarget.value)}
            />
          </label>{' '}
          <output id="count">{saving.saved.size} saved</output>
        </p>
        {children}
      </div>
    </div>
  );
}

function Standing(props: { readonly item: LookItem; readonly saving: Saving; readonly isDraft: boolean }) {
  const { item, saving, isDraft } = props;
  const saved = saving.saved.get(item.name);
  const by = saved && [saved.author, saved.time.slice(0, 10)].filter((text) => text !== '').join(', ');
  return (
    <p class="small quiet" role="status">
      {isDraft ? 'Not saved yet' : saved ? `Saved${by ? ` by ${by}` : ''}` : 'As in the data'}
    </p>
  );
}

/** What is saved, or the labels of the data, of which some may be unknown. */
function labelsNow(item: LookItem, { saved, classes }: Saving): Labels {
  const known = saved.get(item.name)?.labels;
  const own: Labels = Object.fromEntries(
    classes.map((name) => [name, item.labels.includes(name) ? 1 : item.unknown.includes(name) ? null : 0]),
  );
  return known ? { ...own, ...known } : own;
}
