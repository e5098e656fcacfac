// The image, its labels and their keys.

import { heatScale } from '@anyclass/kit';
import { useRef, useState } from 'preact/hooks';
import { Html } from '../../parts/Html.js';
import { percent } from '../../parts/numbers.js';
import { address, go } from '../../state/address.js';
import { useShortcuts } from '../../state/keys.js';
import type { Labels } from '../../wire/mend.js';
import { changeText, doubtText } from '../look/lists.js';
import type { LookItem, LookItems } from '../look/lookItem.js';
import { classKeys } from './classKeys.js';
import type { Saving } from './saving.js';

/** What is to be labeled, from whatever source. */
export interface Work {
  readonly items: LookItems;
  readonly pending: string | undefined;
  /** Whether its images have heat maps. */
  readonly hasHeat: boolean;
  readonly imageOf: (item: LookItem, heat: string | undefined) => preact.ComponentChildren;
  /** The model's probability of a class, if it is shown. */
  readonly scoreOf: (item: LookItem, className: string) => number | undefined;
}

export function Desk(props: {
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
  const accepted = (labels: Labels, { suspects: doubts = [] }: LookItem): Labels => ({
    ...labels,
    ...Object.fromEntries(doubts.map((each) => [each.class, each.kind === 'missing' ? 1 : 0] as const)),
  });
  const toggle = (name: string) => {
    const here = now();
    if (!here) return;
    const labels: Labels = { ...here.labels, [name]: here.labels[name] === 1 ? 0 : 1 };
    draft.current = { name: here.shown.name, labels };
    redraw((n) => n + 1);
  };
  const suspects = item?.suspects ?? [];
  const keys = classKeys(saving.classes);
  useShortcuts([
    ...saving.classes.flatMap((name) => {
      const key = keys.get(name);
      return key === undefined ? [] : [{ key, act: () => toggle(name) }];
    }),
    { key: 'Enter', text: 'save these labels', act: () => save(asShown) },
    { key: 'n', text: 'nothing here', act: () => save(every(0)) },
    { key: 'u', text: 'unsure', act: () => save(every(null)) },
    ...(suspects.length > 0
      ? [
          {
            key: 'y',
            text: `the model is right: ${suspects.map(changeText).join(', ')}`,
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
            act: () =>
              go({ heat: heat === undefined ? (suspects[0]?.class ?? 'presence') : null }, 'replace'),
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
              {item.suspects
                ? item.suspects.map((suspect) => ` · ${doubtText(suspect)}`).join('')
                : item.note !== undefined && ` · ${item.note}`}
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
                      class={`class-key ${suspects.some((each) => each.class === name) ? 'doubted' : ''}`}
                      aria-pressed={current[name] === 1 ? true : current[name] === 0 ? false : 'mixed'}
                      onClick={() => toggle(name)}
                    >
                      <kbd>{keys.get(name) ?? ''}</kbd>
                      <bdi>{name}</bdi>
                      <span class="number quiet">
                        {current[name] === null || current[name] === undefined ? 'unknown ' : ''}
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
