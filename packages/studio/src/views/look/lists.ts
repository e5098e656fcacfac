// Suspect labels and look-alikes: images of all splits, in an order of their own.

import { useEffect, useMemo, useState } from 'preact/hooks';
import { useBackground } from '../../parts/background.js';
import { percent } from '../../parts/numbers.js';
import { ask, reasonOf } from '../../state/server.js';
import type { LookAlikes, Suspect, Suspects } from '../../wire/look.js';
import type { Filters, Show } from './filters.js';
import type { LookItem } from './lookItem.js';
import { type Loaded, type LookTable, progressOf } from './table.js';

export interface Listed {
  readonly items: readonly LookItem[];
  /** Whether test images are left out, because they are sealed. */
  readonly isTestSealed: boolean;
}

/** Whether a choice shows a list of its own instead of rows of a table; most filters are about rows. */
export function isList(show: Show): boolean {
  return show === 'suspects' || show === 'alike';
}

/** The list of a choice; undefined if it shows rows. */
export function useListed(run: string | undefined, show: Show): Loaded<Listed> | undefined {
  const suspects = useSuspects(show === 'suspects' ? run : undefined);
  const alike = useLookAlikes(show === 'alike' ? run : undefined);
  return show === 'suspects' ? suspects : alike;
}

function useSuspects(run: string | undefined): Loaded<Listed> | undefined {
  const [found, setFound] = useState<{ readonly run: string; readonly now: Loaded<Listed> }>();
  useEffect(() => {
    if (run === undefined) return;
    const aborted = new AbortController();
    const set = (now: Loaded<Listed>) => {
      if (!aborted.signal.aborted) setFound({ run, now });
    };
    ask<Suspects>('look/suspects', { run }, aborted.signal).then(
      ({ suspects, isTestSealed }) =>
        set({ state: 'ready', value: { items: suspectItems(suspects), isTestSealed } }),
      (error) => set({ state: 'failed', reason: reasonOf(error) }),
    );
    return () => aborted.abort();
  }, [run]);
  if (run === undefined) return undefined;
  return found?.run === run ? found.now : { state: 'loading' };
}

function useLookAlikes(run: string | undefined): Loaded<Listed> | undefined {
  const now = useBackground<LookAlikes>('look/alike', run === undefined ? undefined : { run });
  return useMemo(() => {
    if (run === undefined) return undefined;
    if (now?.state !== 'ready') return progressOf(now, 'Reading all images');
    return { state: 'ready', value: { items: now.result.sets.flatMap(setItems), isTestSealed: false } };
  }, [run, now]);
}

/** An item per image, where its costliest label stands: what is doubted about an image is seen at once. */
export function suspectItems(suspects: readonly Suspect[]): LookItem[] {
  const byName = new Map<string, Suspect[]>();
  for (const suspect of suspects) {
    const others = byName.get(suspect.name);
    if (others) others.push(suspect);
    else byName.set(suspect.name, [suspect]);
  }
  return Array.from(byName.values(), (own) => {
    const { name, split, labels, unknown } = own[0]!;
    const note = own.map((each) => `${changeText(each)}?`).join(' ');
    return { name, split, labels, unknown, suspects: own, note };
  });
}

/**
 * What the model would change.
 *
 * @example
 * changeText(suspect) // '+ crack'
 */
export function changeText({ kind, class: name }: Suspect): string {
  return `${kind === 'missing' ? '+' : '−'} ${name}`;
}

/**
 * What the model doubts, in words.
 *
 * @example
 * doubtText(suspect) // 'crack may be missing, the model says 93.1%'
 */
export function doubtText({ kind, class: name, score }: Suspect): string {
  return `${name} may be ${kind}, the model says ${percent(score)}%`;
}

function setItems(set: LookAlikes['sets'][number], number: number): LookItem[] {
  const areAcross = new Set(set.map(({ split }) => split)).size > 1;
  return set.map((image) => ({
    ...image,
    note: `set ${number + 1} of ${set.length}${areAcross ? `, ${image.split}` : ''}`,
  }));
}

/** Of a list, the class and the lasso count; a row's number is added where the table has it. */
export function filteredList(
  list: readonly LookItem[],
  { classIndex, among }: Filters,
  table: LookTable | undefined,
): LookItem[] {
  const className = classIndex === undefined ? undefined : table?.classes[classIndex];
  return list
    .filter(({ name }) => !among || among.has(name))
    .filter(
      ({ suspects, labels }) =>
        className === undefined ||
        (suspects ? suspects.some((each) => each.class === className) : labels.includes(className)),
    )
    .map((item) => ({ ...item, row: table?.rowOf.get(item.name) }));
}
