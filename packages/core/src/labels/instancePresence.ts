// Whether an instance has any class, from targets that may be soft (between 0 and 1) or unknown (NaN).

import { rowsOf } from '../arrays/rowMajor.js';

/** A target of at least this counts as present. */
export const PRESENT_FROM = 0.5;

/** What is known about an instance as a whole. */
export type InstancePresence = 'positive' | 'negative' | 'undecided';

/** The codes of `presenceOfRows`. */
export const ROW_UNDECIDED = 0;
export const ROW_NEGATIVE = 1;
export const ROW_POSITIVE = 2;

const NAMES: readonly InstancePresence[] = ['undecided', 'negative', 'positive'];

/**
 * Classifies an instance: positive if some target is at least 0.5, negative if every target is known and below 0.5, and
 * undecided if an unknown target could still make it positive.
 *
 * @example
 * instancePresence([0, 0.7, Number.NaN]) // 'positive'
 * instancePresence([0, 0.2, 0]) // 'negative'
 * instancePresence([0, 0, Number.NaN]) // 'undecided'
 */
export function instancePresence(targets: ArrayLike<number>): InstancePresence {
  return NAMES[presenceCode(targets, 0, targets.length)]!;
}

/**
 * Classifies every row of a table: ROW_UNDECIDED, ROW_NEGATIVE or ROW_POSITIVE.
 *
 * @example
 * presenceOfRows([0, 1, 0, 0, 0, Number.NaN], 2) // 2 1 0
 */
export function presenceOfRows(targets: ArrayLike<number>, classes: number): Uint8Array {
  const codes = new Uint8Array(rowsOf('targets', targets.length, classes));
  for (let row = 0; row < codes.length; row++) {
    codes[row] = presenceCode(targets, row * classes, (row + 1) * classes);
  }
  return codes;
}

function presenceCode(targets: ArrayLike<number>, from: number, to: number): number {
  let code = ROW_NEGATIVE;
  for (let i = from; i < to; i++) {
    const target = targets[i]!;
    if (target >= PRESENT_FROM) return ROW_POSITIVE;
    if (Number.isNaN(target)) code = ROW_UNDECIDED;
  }
  return code;
}
