// Reads the cells of class columns.

import { DataError } from '../../errors/dataError.js';

/** How -1 ('uncertain' in tables like CheXpert's) is read: as unknown, absent, present, or a soft target. */
export type UncertainPolicy = 'ignore' | 'zero' | 'one' | number;

/**
 * The target that an uncertain label becomes.
 *
 * @example
 * uncertainTarget('one') // 1
 * uncertainTarget(0.7) // 0.7
 */
export function uncertainTarget(policy: UncertainPolicy): number {
  if (policy === 'ignore') return Number.NaN;
  if (policy === 'zero') return 0;
  if (policy === 'one') return 1;
  if (policy >= 0 && policy <= 1) return policy;
  throw new RangeError(`uncertain is ${policy}; expected ignore, zero, one, or a number from 0 to 1`);
}

/** The value of an uncertain label in tables. */
export const UNCERTAIN = -1;

/**
 * The target in a cell: 0 to 1, NaN if it is empty, or {@link UNCERTAIN}. Numbers and words may be written in
 * the ways of other programs.
 *
 * @param where the place, called only for an error
 * @param notClasses the columns that are not classes, as far as known; the hint adds this one
 *
 * @example
 * labelCell('0.25', 'crack', () => 'train.csv, line 2') // 0.25
 * labelCell('Yes', 'crack', () => 'train.csv, line 3') // 1
 */
export function labelCell(
  cell: string,
  className: string,
  where: () => string,
  notClasses: () => readonly string[] = () => [],
): number {
  if (cell === '0') return 0;
  if (cell === '1') return 1;
  const target = targetIn(cell);
  if (target !== undefined) return target;
  const value = numberIn(cell);
  throw new DataError(
    `${where()}: class column '${className}' holds '${cell}'; expected 0 to 1, empty for unknown, or -1 for uncertain. ${advice(value)}`,
    value !== undefined && value < 0
      ? {}
      : { setting: `data.columns.ignore=${JSON.stringify([...new Set([...notClasses(), className])])}` },
  );
}

/**
 * The target in a cell; undefined if the cell is not a label.
 *
 * @example
 * targetIn('no') // 0
 * targetIn('sunny') // undefined
 */
export function targetIn(cell: string): number | undefined {
  const text = cell.trim().toLowerCase();
  const word = words.get(text);
  if (word !== undefined) return word;
  const value = numberIn(text);
  return value !== undefined && ((value >= 0 && value <= 1) || value === UNCERTAIN) ? value : undefined;
}

const words: ReadonlyMap<string, number> = new Map([
  ['true', 1],
  ['false', 0],
  ['yes', 1],
  ['no', 0],
  ['', Number.NaN],
  ['nan', Number.NaN],
  ['na', Number.NaN],
  ['n/a', Number.NaN],
  ['null', Number.NaN],
]);

// Number() alone would also accept 0x1, Infinity, and the like.
const decimal = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

/** The decimal number in a cell, if it is one. */
export function numberIn(cell: string): number | undefined {
  const text = cell.trim();
  return decimal.test(text) ? Number(text) : undefined;
}

/** What to do about an invalid cell without losing labels. */
function advice(value: number | undefined): string {
  if (value === undefined) {
    return 'If it is not a class, add it to data.columns.ignore; if it lists the labels of a row, set data.columns.labels to it';
  }
  if (value < 0) return '-1 means uncertain: set data.uncertain to ignore, zero, one, or a number';
  return 'If it is not a class, add it to data.columns.ignore; if it counts objects, replace counts above 1 with 1';
}
