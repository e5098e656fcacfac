import { isPlainObject } from '../configuration/overrides.js';

export interface Difference {
  /** Dotted. */
  readonly field: string;
  readonly first: unknown;
  readonly second: unknown;
}

/**
 * The first field in which two values differ.
 *
 * @example
 * firstDifference({ a: { b: 1, c: 2 } }, { a: { b: 1, c: 3 } }) // { field: 'a.c', first: 2, second: 3 }
 */
export function firstDifference(first: unknown, second: unknown, field = ''): Difference | undefined {
  if (!isPlainObject(first) || !isPlainObject(second)) {
    return JSON.stringify(first) === JSON.stringify(second) ? undefined : { field, first, second };
  }
  for (const key of new Set([...Object.keys(first), ...Object.keys(second)])) {
    const name = field === '' ? key : `${field}.${key}`;
    const difference = firstDifference(first[key], second[key], name);
    if (difference) return difference;
  }
  return undefined;
}
