// What the cell of a class column says.

import { DataError } from '../../errors/dataError.js';

/** How a -1, 'uncertain' in tables like CheXpert's, is read: as unknown, as absent, as present, or as a soft target. */
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
  throw new RangeError(`uncertain is ${policy}; expected ignore, zero, one or a number from 0 to 1`);
}

/** What tables hold for an uncertain label. */
export const UNCERTAIN = -1;

/**
 * The target in a cell: 0 to 1, NaN where it is empty, {@link UNCERTAIN}. Numbers may be written as other programs do.
 *
 * @param where the place, made only for a complaint
 *
 * @example
 * labelCell('0.25', 'crack', () => 'train.csv, line 2') // 0.25
 * labelCell('True', 'crack', () => 'train.csv, line 3') // 1
 */
export function labelCell(cell: string, className: string, where: () => string): number {
  if (cell === '0') return 0;
  if (cell === '1') return 1;
  const text = cell.trim().toLowerCase();
  if (text === '') return Number.NaN;
  if (text === 'true') return 1;
  if (text === 'false') return 0;
  const value = decimal.test(text) ? Number(text) : Number.NaN;
  if ((value >= 0 && value <= 1) || value === UNCERTAIN) return value;
  const reason =
    value < 0
      ? 'A -1 means uncertain: set data.uncertain to ignore, zero, one or a number'
      : 'If it is not a class, add it to data.columns.ignore';
  throw new DataError(
    `${where()}: class column '${className}' holds '${cell}'; expected 0 to 1, empty for unknown, or -1 for uncertain. ${reason}`,
    value < 0 ? {} : { setting: `data.columns.ignore=${JSON.stringify([className])}` },
  );
}

// Number() alone would also take 0x1, Infinity and the like.
const decimal = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/;
