// One comparison with golden values: the largest error, and how large it may be.

export interface Check {
  readonly figure: string;
  /** The largest error; 0 is exact, infinite where a number is missing. */
  readonly error: number;
  readonly tolerance: number;
  readonly ok: boolean;
  /** Where the largest error is, or what differs. */
  readonly place?: string;
}

export interface Tolerance {
  /** Of |error| / (|expected| + floor). */
  readonly relative: number;
  /** Keeps values near zero from asking for the impossible. */
  readonly floor: number;
}

/** What golden files may hold for a figure. */
export type Expected = number | null | readonly Expected[];

/**
 * Compares numbers, lists of them, or null for 'not defined', and finds the largest error.
 *
 * @example
 * compare('loss', [1.0000001], [1], { relative: 1e-5, floor: 0 }) // { figure: 'loss', error: 1e-7, …, ok: true }
 */
export function compare(
  figure: string,
  found: ArrayLike<number | null>,
  expected: Expected,
  { relative, floor }: Tolerance,
): Check {
  const values = flatten(expected);
  if (found.length !== values.length) {
    const place = `${found.length} values in place of ${values.length}`;
    return { figure, error: Number.POSITIVE_INFINITY, tolerance: relative, ok: false, place };
  }
  let error = 0;
  let worst = 0;
  values.forEach((value, i) => {
    const one = errorOf(found[i] ?? null, value, floor);
    if (one > error) [error, worst] = [one, i];
  });
  const check = { figure, error, tolerance: relative, ok: error <= relative };
  return values.length > 1 && error > 0 ? { ...check, place: `at ${worst}` } : check;
}

/** The largest absolute value, to which small ones of the same list are compared. */
export function largest(expected: Expected): number {
  return flatten(expected).reduce((most: number, value) => Math.max(most, Math.abs(value ?? 0)), 0);
}

/** Of all checks of each figure the worst one. */
export function worstByFigure(checks: readonly Check[]): Check[] {
  const worst = new Map<string, Check>();
  for (const check of checks) {
    const other = worst.get(check.figure);
    if (!other || check.error > other.error) worst.set(check.figure, check);
  }
  return [...worst.values()];
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
