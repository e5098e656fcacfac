// Synchronizes ranks that work side by side for hours after every piece of work, so that a slow or dead rank
// is noticed then and not by a timeout at the end.

import { gatherIntegers } from './exchange.js';
import type { Ranks } from './ranks.js';

export interface Pace {
  /** Waits for the others after a piece of work. */
  next(): Promise<void>;
  /** Waits until ranks with more pieces are done. */
  rest(): Promise<void>;
}

/**
 * @param pieces the number of pieces that this rank has
 *
 * @example
 * const pace = await keptPace(ranks, chunks.length);
 * for (const chunk of chunks) { await work(chunk); await pace.next(); }
 * await pace.rest();
 */
export async function keptPace(ranks: Ranks | undefined, pieces: number): Promise<Pace> {
  if (!ranks) return { next: async () => {}, rest: async () => {} };
  let left = Math.max(...(await gatherIntegers(ranks, Int32Array.of(pieces))));
  const next = async () => {
    left--;
    await ranks.group.barrier().finished();
  };
  return {
    next,
    async rest() {
      while (left > 0) await next();
    },
  };
}
