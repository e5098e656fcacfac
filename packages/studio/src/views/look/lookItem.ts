// Images to show, one by one, however many there are.

import type { Suspect } from '../../wire/look.js';
import { type LookTable, labelsAt, unknownAt } from './table.js';

/** An image to show. */
export interface LookItem {
  readonly name: string;
  /** Its row in the table; undefined if it is in another split. */
  readonly row?: number | undefined;
  readonly split: string;
  readonly labels: readonly string[];
  /** Classes of which it is not known whether they are present. */
  readonly unknown: readonly string[];
  /** Why it is shown, if that is not plain. */
  readonly note?: string | undefined;
  /** Labels that the model contradicts. */
  readonly suspects?: readonly Suspect[] | undefined;
}

export interface LookItems {
  readonly count: number;
  at(index: number): LookItem;
  indexOf(name: string): number;
}

/**
 * The labels of an image in words: an image that was checked and is empty differs from one that nobody checked.
 *
 * @example
 * labelText({ labels: [], unknown: ['crack'] }) // 'unknown: crack'
 */
export function labelText({ labels, unknown }: Pick<LookItem, 'labels' | 'unknown'>): string {
  if (unknown.length === 0) return labels.join(', ') || 'nothing here';
  return [...labels, `unknown: ${unknown.join(', ')}`].join('; ');
}

export const noItems: LookItems = {
  count: 0,
  at: () => ({ name: '', split: '', labels: [], unknown: [] }),
  indexOf: () => -1,
};

export function tableItems(table: LookTable, rows: readonly number[]): LookItems {
  return {
    count: rows.length,
    at: (i) => {
      const row = rows[i] ?? 0;
      const [labels, unknown] = [labelsAt(table, row), unknownAt(table, row)];
      return { name: table.names[row]!, row, split: table.split, labels, unknown };
    },
    indexOf: (name) => {
      const row = table.rowOf.get(name);
      return row === undefined ? -1 : rows.indexOf(row);
    },
  };
}

/** Every name is there once: an image is found again by its name in the address. */
export function listItems(list: readonly LookItem[]): LookItems {
  const places = new Map(list.map(({ name }, i) => [name, i]));
  return { count: list.length, at: (i) => list[i]!, indexOf: (name) => places.get(name) ?? -1 };
}
