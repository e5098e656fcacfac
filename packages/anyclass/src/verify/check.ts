// Compares results with golden values: the largest error, and how large it may be.

import { listed } from '../errors/listed.js';

export interface Check {
  /** Name of the quantity. */
  readonly name: string;
  /** The largest error; 0 if exact, infinite if a number is missing. */
  readonly error: number;
  readonly tolerance: number;
  readonly ok: boolean;
  /** Where the largest error is; omitted if the quantity is exact or a single number. */
  readonly place?: Place;
}

/** A place in a file or network; each part is within the one before it. */
export interface Place {
  /** Index of a case in the file, from 0. */
  readonly case?: number;
  /** An entry of the network's state dict. */
  readonly entry?: string;
  /** Index of a value of the quantity, from 0. */
  readonly value?: number;
  /** The number of values, if it is not as expected. */
  readonly counts?: { readonly found: number; readonly expected: number };
  /** Entries that a network should have but lacks, and entries that it has but should not. */
  readonly structure?: { readonly lacks: readonly Entry[]; readonly has: readonly Entry[] };
}

/** The name and shape of a tensor in a network. */
export interface Entry {
  readonly name: string;
  readonly shape: readonly number[];
}

export interface Tolerance {
  /** Limit on |error| / (|expected| + floor). */
  readonly relative: number;
  /** Keeps the limit achievable for values near zero. */
  readonly floor: number;
}

/** What golden files may contain for a quantity. */
export type Expected = number | null | readonly Expected[];

/**
 * Compares numbers, lists of numbers, or null for 'undefined', and finds the largest error.
 *
 * @example
 * compare('loss', [1.0000001], [1], { relative: 1e-5, floor: 0 }) // { name: 'loss', error: 1e-7, …, ok: true }
 */
export function compare(
  name: string,
  found: ArrayLike<number | null>,
  expected: Expected,
  { relative, floor }: Tolerance,
): Check {
  const values = flatten(expected);
  if (found.length !== values.length) {
    const place = { counts: { found: found.length, expected: values.length } };
    return { name, error: Number.POSITIVE_INFINITY, tolerance: relative, ok: false, place };
  }
  let error = 0;
  let worst = 0;
  values.forEach((value, i) => {
    const one = errorOf(found[i] ?? null, value, floor);
    if (one > error) [error, worst] = [one, i];
  });
  const check = { name, error, tolerance: relative, ok: error <= relative };
  return values.length > 1 && error > 0 ? { ...check, place: { value: worst } } : check;
}

/** Returns the largest absolute value, which sets the scale for small ones in the same list. */
export function largest(expected: Expected): number {
  return flatten(expected).reduce((most: number, value) => Math.max(most, Math.abs(value ?? 0)), 0);
}

/** Checks every case of a file and returns the worst check of each quantity. */
export function worstOfCases<Case>(cases: readonly Case[], checksOf: (given: Case) => Check[]): Check[] {
  const worst = new Map<string, Check>();
  for (const [i, given] of cases.entries()) {
    for (const check of checksOf(given)) {
      const other = worst.get(check.name);
      if (!other || check.error > other.error)
        worst.set(check.name, { ...check, place: { case: i, ...check.place } });
    }
  }
  return [...worst.values()];
}

/**
 * Describes a place in words.
 *
 * @example
 * placeText({ case: 7, value: 3 }) // 'case 7, value 3'
 */
export function placeText(place: Place): string {
  const { lacks = [], has = [] } = place.structure ?? {};
  const differing = [
    ...lacks.map((entry) => `lacks ${entryText(entry)}`),
    ...has.map((entry) => `has ${entryText(entry)}`),
  ];
  const parts = [
    place.case === undefined ? [] : `case ${place.case}`,
    place.entry ?? [],
    place.value === undefined ? [] : `value ${place.value}`,
    place.counts ? `${place.counts.found} values instead of ${place.counts.expected}` : [],
    listed(differing, 3),
  ];
  return parts
    .flat()
    .filter((part) => part !== '')
    .join(', ');
}

function entryText({ name, shape }: Entry): string {
  return `${name} [${shape.join(', ')}]`;
}

function errorOf(found: number | null, expected: number | null, floor: number): number {
  if (expected === null || found === null) return expected === found ? 0 : Number.POSITIVE_INFINITY;
  if (found === expected) return 0;
  const error = Math.abs(found - expected) / (Math.abs(expected) + floor);
  return Number.isNaN(error) ? Number.POSITIVE_INFINITY : error;
}

function flatten(expected: Expected): (number | null)[] {
  return typeof expected === 'object' && expected !== null ? expected.flatMap(flatten) : [expected];
}
