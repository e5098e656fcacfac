// What a person does to the labels of the shown image.

import { useRef, useState } from 'preact/hooks';
import { address, go } from '../../state/address.js';
import type { Labels } from '../../wire/mend.js';
import type { LookItem, LookItems } from '../look/lookItem.js';
import type { Saving } from './saving.js';

export interface Labeling {
  /** The shown image and its place; undefined if there is none. */
  readonly shown: ShownItem | undefined;
  /** Whether its labels were changed and not saved. */
  readonly isDraft: boolean;
  toggle(className: string): void;
  /** These save and go on to the next image: the labels as they are shown, nothing, not sure, and what the model says. */
  keep(): void;
  nothing(): void;
  unsure(): void;
  accept(): void;
  undo(): void;
  /** Shows the image that many places further on. */
  move(by: number): void;
}

interface ShownItem {
  readonly place: number;
  readonly item: LookItem;
  readonly labels: Labels;
}

export function useLabeling(items: LookItems, saving: Saving): Labeling {
  const draft = useRef<{ readonly name: string; readonly labels: Labels }>(undefined);
  const [, redraw] = useState(0);
  // Keys may come faster than renderings: what they do starts from what is so, not from what was drawn.
  const now = (): ShownItem | undefined => {
    if (items.count === 0) return undefined;
    const place = Math.max(0, items.indexOf(address.value.get('image') ?? ''));
    const item = items.at(place);
    const labels = draft.current?.name === item.name ? draft.current.labels : labelsNow(item, saving);
    return { place, item, labels };
  };
  const show = (place: number) => {
    if (items.count > 0)
      go({ image: items.at(Math.max(0, Math.min(items.count - 1, place))).name }, 'replace');
  };
  /** Saves in the background and goes on; what fails is told. */
  const save = (labelsOf: (here: ShownItem) => Labels) => {
    const here = now();
    if (!here) return;
    draft.current = undefined;
    void saving.save(here.item.name, labelsOf(here));
    show(here.place + 1);
  };
  const every = (label: 0 | null): Labels => Object.fromEntries(saving.classes.map((name) => [name, label]));
  const shown = now();
  return {
    shown,
    isDraft: shown !== undefined && draft.current?.name === shown.item.name,
    toggle(name) {
      const here = now();
      if (!here) return;
      const labels: Labels = { ...here.labels, [name]: here.labels[name] === 1 ? 0 : 1 };
      draft.current = { name: here.item.name, labels };
      redraw((n) => n + 1);
    },
    keep: () => save(({ labels }) => labels),
    nothing: () => save(() => every(0)),
    unsure: () => save(() => every(null)),
    accept: () => save(({ labels, item }) => ({ ...labels, ...suspected(item) })),
    undo: () =>
      void saving.undo().then((name) => {
        if (name !== undefined) go({ image: name }, 'replace');
      }),
    move: (by) => show((now()?.place ?? 0) + by),
  };
}

/** What is saved, or the labels of the data, of which some may be unknown. */
function labelsNow(item: LookItem, { saved, classes }: Saving): Labels {
  const known = saved.get(item.name)?.labels;
  const own: Labels = Object.fromEntries(
    classes.map((name) => [name, item.labels.includes(name) ? 1 : item.unknown.includes(name) ? null : 0]),
  );
  return known ? { ...own, ...known } : own;
}

/** The labels that the model doubts, as it would have them. */
function suspected({ suspects = [] }: LookItem): Labels {
  return Object.fromEntries(suspects.map((each) => [each.class, each.kind === 'missing' ? 1 : 0] as const));
}
