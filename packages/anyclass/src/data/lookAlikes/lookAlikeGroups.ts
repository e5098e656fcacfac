import type { Grouping } from '../dataset/dataset.js';
import type { NameTable } from '../dataset/nameTable.js';
import { disjointSets } from './disjointSets.js';
import type { DuplicateGroups } from './duplicates.js';

/** What a group of look-alikes is called where a column would be named. */
export const lookAlikeColumn = 'look-alike set';

/**
 * Groups rows that look alike. If the dataset has groups of its own, such as patients, those that share a look-alike
 * become one.
 *
 * @example
 * lookAlikeGroups(undefined, [[0, 2]], names).codes // Int32Array [0, 1, 0]
 */
export function lookAlikeGroups(
  own: Grouping | undefined,
  sets: DuplicateGroups,
  names: NameTable,
): Grouping {
  const owners = own?.codes ?? Int32Array.from({ length: names.length }, (_, row) => row);
  const joined = disjointSets(own?.names.length ?? names.length);
  for (const rows of sets) for (const row of rows) joined.join(owners[rows[0]!]!, owners[row]!);
  const codeOf = new Map<number, number>();
  const groupNames: string[] = [];
  const codes = owners.map((owner) => {
    const root = joined.find(owner);
    const known = codeOf.get(root);
    if (known !== undefined) return known;
    codeOf.set(root, groupNames.length);
    return groupNames.push(own?.names[root] ?? names.at(root)) - 1;
  });
  return { column: own ? `${own.column} or ${lookAlikeColumn}` : lookAlikeColumn, codes, names: groupNames };
}
