// The image, its labels and their keys.

import { countText, heatScale } from '@anyclass/kit';
import { Html } from '../../parts/Html.js';
import { percent } from '../../parts/numbers.js';
import { address, go } from '../../state/address.js';
import { useShortcuts } from '../../state/keys.js';
import { changeText, doubtText } from '../look/lists.js';
import type { LookItem, LookItems } from '../look/lookItem.js';
import { classKeys } from './classKeys.js';
import { useLabeling } from './labeling.js';
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
  const labeling = useLabeling(work.items, saving);
  const { shown, isDraft } = labeling;
  const heat = address.value.get('heat') || undefined;
  const suspects = shown?.item.suspects ?? [];
  const keys = classKeys(saving.classes);
  useShortcuts([
    ...Array.from(keys, ([name, key]) => ({ key, act: () => labeling.toggle(name) })),
    { key: 'Enter', text: 'save these labels', act: labeling.keep },
    { key: 'n', text: 'nothing here', act: labeling.nothing },
    { key: 'u', text: 'unsure', act: labeling.unsure },
    ...(suspects.length > 0
      ? [
          {
            key: 'y',
            text: `the model is right: ${suspects.map(changeText).join(', ')}`,
            act: labeling.accept,
          },
        ]
      : []),
    { key: 'z', text: 'undo', act: labeling.undo },
    { key: 'ArrowRight', shown: '← →', text: 'image', act: () => labeling.move(1) },
    { key: 'ArrowLeft', act: () => labeling.move(-1) },
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
        {shown ? (
          <>
            {work.imageOf(shown.item, heat)}
            {heat !== undefined && work.hasHeat && <Html text={heatScale()} />}
            <Caption item={shown.item} place={shown.place} count={work.items.count} />
          </>
        ) : (
          <p class="quiet empty">{work.pending ?? 'No image is like this.'}</p>
        )}
      </div>
      <div class="desk-labels">
        {shown && (
          <>
            <Standing item={shown.item} saving={saving} isDraft={isDraft} />
            <ul class="class-keys">
              {saving.classes.map((name) => (
                <li key={name}>
                  <ClassButton
                    name={name}
                    shortcut={keys.get(name)}
                    label={shown.labels[name] ?? null}
                    score={work.scoreOf(shown.item, name)}
                    isDoubted={suspects.some((each) => each.class === name)}
                    onToggle={() => labeling.toggle(name)}
                  />
                </li>
              ))}
            </ul>
            <p class="desk-buttons">
              <button type="button" class="button" onClick={labeling.keep}>
                <kbd>Enter</kbd> Save
              </button>
              <button type="button" class="button quiet-button" onClick={labeling.nothing}>
                <kbd>n</kbd> Nothing here
              </button>
              <button type="button" class="button quiet-button" onClick={labeling.unsure}>
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

function Caption(props: { readonly item: LookItem; readonly place: number; readonly count: number }) {
  const { item, place, count } = props;
  return (
    <p class="detail-name small">
      <bdi>{item.name}</bdi>
      <span class="quiet">
        {' '}
        {countText(place + 1)} of {countText(count)}
        {item.suspects
          ? item.suspects.map((suspect) => ` · ${doubtText(suspect)}`).join('')
          : item.note !== undefined && ` · ${item.note}`}
      </span>
    </p>
  );
}

function ClassButton(props: {
  readonly name: string;
  readonly shortcut: string | undefined;
  /** Null if unknown. */
  readonly label: number | null;
  readonly score: number | undefined;
  readonly isDoubted: boolean;
  readonly onToggle: () => void;
}) {
  const { name, shortcut, label, score, isDoubted, onToggle } = props;
  return (
    <button
      type="button"
      class={`class-key ${isDoubted ? 'doubted' : ''}`}
      aria-pressed={label === 1 ? true : label === 0 ? false : 'mixed'}
      onClick={onToggle}
    >
      <kbd>{shortcut ?? ''}</kbd>
      <bdi>{name}</bdi>
      <span class="number quiet">
        {label === null ? 'unknown ' : ''}
        {score === undefined ? '' : `${percent(score)}%`}
      </span>
    </button>
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
