/** What a row belongs to: a patient, a category, a site. */
export type Key = number | string;

/** The distinct keys of a list, and the index of each entry's key among them. */
export interface DistinctKeys {
  readonly keys: readonly Key[];
  readonly indices: Int32Array;
}

/**
 * Returns the distinct keys in ascending order, like `numpy.unique(..., return_inverse=True)`, or in order of first
 * appearance. Strings are sorted by code point, as in numpy.
 */
export function distinctKeys(
  values: ArrayLike<Key>,
  order: 'sorted' | 'appearance',
  what: string,
): DistinctKeys {
  const seen = new Map<Key, number>();
  const kind = typeof values[0] === 'number' ? 'number' : 'string';
  for (let i = 0; i < values.length; i++) {
    const value = values[i]!;
    if (typeof value !== kind || Number.isNaN(value)) {
      throw new TypeError(
        `${what}[${i}] is ${String(value)}; expected a ${kind}${i > 0 ? `, as ${what}[0] is` : ''}`,
      );
    }
    if (!seen.has(value)) seen.set(value, seen.size);
  }
  const keys = [...seen.keys()];
  if (order === 'sorted') {
    keys.sort(ascending);
    keys.forEach((key, index) => {
      seen.set(key, index);
    });
  }
  return { keys, indices: Int32Array.from({ length: values.length }, (_, i) => seen.get(values[i]!)!) };
}

function ascending(a: Key, b: Key): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return byCodePoint(String(a), String(b));
}

// JavaScript's own order is by 16-bit units, which puts U+1F600 before U+FF5E.
function byCodePoint(a: string, b: string): number {
  const shorter = Math.min(a.length, b.length);
  for (let i = 0; i < shorter; i++) {
    if (a.charCodeAt(i) !== b.charCodeAt(i)) return a.codePointAt(i)! - b.codePointAt(i)!;
  }
  return a.length - b.length;
}
