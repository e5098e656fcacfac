// Who does what: work on rows is cut into one run of rows for each rank, so that put together in the order of the ranks they are
// the rows of a single process, each once.

import type { Ranks } from './ranks.js';

/**
 * Where a rank's share of this many things begins and ends. Shares differ by at most one.
 *
 * @example
 * shareOf(10, { rank: 1, worldSize: 4 }) // { start: 2, end: 5 }
 */
export function shareOf(
  count: number,
  ranks: Pick<Ranks, 'rank' | 'worldSize'> | undefined,
): { readonly start: number; readonly end: number } {
  if (!ranks) return { start: 0, end: count };
  const cut = (piece: number) => Math.floor((count * piece) / ranks.worldSize);
  return { start: cut(ranks.rank), end: cut(ranks.rank + 1) };
}

/** The largest share of this many things. */
export function largestShare(count: number, ranks: Pick<Ranks, 'worldSize'> | undefined): number {
  return Math.ceil(count / (ranks?.worldSize ?? 1));
}
