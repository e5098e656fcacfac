import type { Key } from '../labels/distinctKeys.js';

/** What identifies rows: any of these, with one entry per row. */
export interface RowIdentities {
  readonly names?: ArrayLike<string> | undefined;
  /** Hashes of their contents; empty where unknown. */
  readonly hashes?: ArrayLike<string> | undefined;
  readonly groups?: ArrayLike<Key> | undefined;
}

/** How many judged rows a fit already knew. */
export interface SharedRows {
  /** Rows that share a name, a hash or a group with a row of the fit. */
  readonly rows: number;
  readonly byName: number;
  readonly byHash: number;
  readonly byGroup: number;
  /** Some of the names or groups in question, at most five. */
  readonly examples: readonly string[];
}

const LISTED = 5;

/**
 * Counts the rows that stand in both the data of a fit and the data it is judged on. With any, a promise about new data is
 * not supported by the judged rows and is withheld. An empty name or hash identifies nothing, and rows of one name whose
 * hashes are known and differ are different rows: cameras number their images from 1 everywhere.
 *
 * @example
 * sharedRows({ names: ['a.png', 'b.png'] }, { names: ['b.png', 'c.png'] })
 * // { rows: 1, byName: 1, byHash: 0, byGroup: 0, examples: ['b.png'] }
 */
export function sharedRows(fitted: RowIdentities, judged: RowIdentities): SharedRows {
  const rows = new Set<number>();
  const examples = new Set<string>();
  const count = (
    known: ArrayLike<Key> | undefined,
    asked: ArrayLike<Key> | undefined,
    exampleOf: (row: number, key: string) => string,
    hashes?: { readonly known: ArrayLike<string>; readonly asked: ArrayLike<string> },
  ): number => {
    if (known === undefined || asked === undefined) return 0;
    const keys = new Map<string, string>();
    for (let row = 0; row < known.length; row++) {
      const key = String(known[row]);
      const [hash, other] = [hashes?.known[row] ?? '', keys.get(key)];
      keys.set(key, other === undefined || other === hash ? hash : '');
    }
    keys.delete('');
    let found = 0;
    for (let row = 0; row < asked.length; row++) {
      const key = String(asked[row]);
      const [hash, own] = [keys.get(key), hashes?.asked[row] ?? ''];
      if (hash === undefined || (hash !== '' && own !== '' && hash !== own)) continue;
      found++;
      rows.add(row);
      if (examples.size < LISTED) examples.add(exampleOf(row, key));
    }
    return found;
  };
  const hashes = fitted.hashes && judged.hashes ? { known: fitted.hashes, asked: judged.hashes } : undefined;
  const itself = (_: number, key: string) => key;
  const byName = count(fitted.names, judged.names, itself, hashes);
  // A hash says nothing to a reader.
  const byHash = count(fitted.hashes, judged.hashes, (row, hash) => judged.names?.[row] ?? hash);
  const byGroup = count(fitted.groups, judged.groups, itself);
  return { rows: rows.size, byName, byHash, byGroup, examples: [...examples] };
}
