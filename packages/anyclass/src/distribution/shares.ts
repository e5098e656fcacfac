// Divides work among ranks: each gets one contiguous block of rows, so that the blocks in rank order are the
// rows of a single process, each exactly once.

import type { Ranks } from './ranks.js';

/**
 * Returns where a rank's share of this many items starts and ends. Shares differ by at most one.
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

/** The largest share of this many items. */
export function largestShare(count: number, ranks: Pick<Ranks, 'worldSize'> | undefined): number {
  return Math.ceil(count / (ranks?.worldSize ?? 1));
}
