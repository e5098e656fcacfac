// Which images are shown, and in what order.

import type { LookTable } from './table.js';

export const shows = ['alarms', 'missed', 'review', 'differs', 'suspects', 'alike', 'all'] as const;
export type Show = (typeof shows)[number];

export interface Filters {
  readonly show: Show;
  /** The number of a class; undefined for presence of any. */
  readonly classIndex?: number | undefined;
  /** The number of a group. */
  readonly group?: number | undefined;
  /** Limits of the probability, of the class or of presence. */
  readonly from: number;
  readonly to: number;
  readonly order: 'high' | 'low' | 'name';
  /** Names to choose from, such as those in a lasso. */
  readonly among?: ReadonlySet<string> | undefined;
}

const CLEAR = 0;
const REVIEW = 1;
const ALARM = 2;

/**
 * Returns the rows to show, in order. With another run's table, those that it gets right: newly missed, newly alarming.
 *
 * @example
 * shownRows(table, { show: 'missed', from: 0, to: 1, order: 'low' }, before) // what this run misses and the other found
 */
export function shownRows(table: LookTable, filters: Filters, other?: LookTable): number[] {
  const { classIndex, group, from, to, order, among } = filters;
  const { names, presence, scores, classes } = table;
  const width = classes.length;
  const confidence = (row: number) =>
    classIndex === undefined ? presence[row]! : scores[row * width + classIndex]!;
  const rows: number[] = [];
  for (let row = 0; row < names.length; row++) {
    if (group !== undefined && table.group[row] !== group) continue;
    const value = confidence(row);
    if (value < from || value > to) continue;
    if (among && !among.has(names[row]!)) continue;
    if (!isShown(table, row, filters)) continue;
    if (other && !isNew(table, row, filters, other)) continue;
    rows.push(row);
  }
  if (order === 'name') return rows.sort((a, b) => (names[a]! < names[b]! ? -1 : 1));
  const sign = order === 'high' ? -1 : 1;
  return rows.sort((a, b) => sign * (confidence(a) - confidence(b)) || a - b);
}

/** The usual order: what alarms or misses most surely comes first. */
export function usualOrder(show: Show): Filters['order'] {
  return show === 'missed' ? 'low' : 'high';
}

/** How many rows each choice shows, without the other filters. */
export function countsOf(table: LookTable, classIndex: number | undefined): Readonly<Record<string, number>> {
  const counts: Record<string, number> = { alarms: 0, missed: 0, review: 0, all: 0 };
  for (let row = 0; row < table.names.length; row++)
    for (const show of ['alarms', 'missed', 'review', 'all'] as const)
      if (isShown(table, row, { show, classIndex })) counts[show] = counts[show]! + 1;
  return counts;
}

function isShown(table: LookTable, row: number, { show, classIndex }: Pick<Filters, 'show' | 'classIndex'>) {
  const { targets, predicted, outcome, classes } = table;
  const width = classes.length;
  if (classIndex !== undefined) {
    const at = row * width + classIndex;
    if (show === 'alarms') return predicted[at] === 1 && targets[at] === 0;
    if (show === 'missed') return targets[at] === 1 && predicted[at] === 0;
    if (show === 'review') return targets[at] === 1 && outcome[row] === REVIEW;
    return show === 'all' ? targets[at] === 1 || predicted[at] === 1 : true;
  }
  if (show === 'alarms') return outcome[row] === ALARM && isNegative(table, row);
  if (show === 'missed') return outcome[row] === CLEAR && isPositive(table, row);
  return show === 'review' ? outcome[row] === REVIEW : true;
}

/** Whether the other run has the row, and does not make the same mistake; for `differs`, whether it says something else. */
function isNew(table: LookTable, row: number, filters: Filters, other: LookTable): boolean {
  const { show, classIndex } = filters;
  const there = other.rowOf.get(table.names[row]!);
  if (there === undefined) return false;
  const otherClass = classIndex === undefined ? undefined : other.classes.indexOf(table.classes[classIndex]!);
  if (otherClass === -1) return false;
  const says = ({ predicted, outcome, classes }: LookTable, at: number, j: number | undefined) =>
    j === undefined ? outcome[at] : predicted[at * classes.length + j];
  const [here, before] = [says(table, row, classIndex), says(other, there, otherClass)];
  if (show === 'alarms') return before !== (classIndex === undefined ? ALARM : 1);
  if (show === 'missed') return before !== (classIndex === undefined ? CLEAR : 0);
  return show === 'differs' ? here !== before : true;
}

/** Whether every class is known to be absent. */
function isNegative({ targets, classes }: LookTable, row: number): boolean {
  for (let j = 0; j < classes.length; j++) if (targets[row * classes.length + j] !== 0) return false;
  return true;
}

function isPositive({ targets, classes }: LookTable, row: number): boolean {
  for (let j = 0; j < classes.length; j++) if (targets[row * classes.length + j] === 1) return true;
  return false;
}
