// Folds for cross-fitting.

import { presenceOfRows, ROW_NEGATIVE, ROW_POSITIVE, type Scored } from '@anyclass/core';

const foldCount = 5;

/**
 * Returns the fold of each image. Groups stay together; positives and negatives are spread evenly, in an order that
 * depends only on the names, so that runs on the same images have the same folds whatever the order of their files.
 *
 * @param kinds whether each row is positive, negative or undecided, from `presenceOfRows`
 * @param deal a different number assigns the images to different folds
 *
 * @example
 * crossFit(scored, { folds: foldsByName(scored, presenceOfRows(scored.targets, classes)) })
 */
export function foldsByName(
  { names, groups }: Pick<Scored, 'groups'> & { readonly names: readonly string[] },
  kinds: Uint8Array,
  deal = 0,
): Uint8Array {
  const suffix = deal === 0 ? '' : ` ${deal}`;
  const nameOf = (row: number) => (groups === undefined ? names[row]! : String(groups[row]));
  // A group with a positive image counts as positive.
  const kindOf = new Map<string, number>();
  names.forEach((_, row) => {
    kindOf.set(nameOf(row), Math.max(kindOf.get(nameOf(row)) ?? 0, kinds[row]!));
  });
  const order = Array.from(kindOf, ([name, kind]) => ({ name, kind, hash: hashOf(name + suffix) })).sort(
    (a, b) => a.kind - b.kind || a.hash - b.hash || (a.name < b.name ? -1 : 1),
  );
  const foldOf = new Map(order.map(({ name }, i) => [name, i % foldCount]));
  return Uint8Array.from(names, (_, row) => foldOf.get(nameOf(row))!);
}

/**
 * Returns the folds to cross-fit a decision with; undefined if all positives or all negatives are in one fold, as with a single
 * one, or where they are of one group: without that fold nothing could be fitted.
 */
export function foldsToFit(
  scored: Scored & { readonly names: readonly string[] },
  deal = 0,
): Uint8Array | undefined {
  const kinds = presenceOfRows(scored.targets, scored.classNames.length);
  const folds = foldsByName(scored, kinds, deal);
  const areSpread = [ROW_POSITIVE, ROW_NEGATIVE].every(
    (kind) => new Set(folds.filter((_, row) => kinds[row] === kind)).size > 1,
  );
  return areSpread ? folds : undefined;
}

/** FNV-1a: consecutive names, such as the frames of a video, end up far apart. */
function hashOf(name: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < name.length; i++) hash = Math.imul(hash ^ name.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}
