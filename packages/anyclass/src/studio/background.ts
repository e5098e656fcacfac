// Work in the background, of which pages ask how far it is.

import type { Background } from '@anyclass/studio';
import { reasonOf } from '../errors/reasonOf.js';
import { bounded } from './bounded.js';

export interface BackgroundWork<Result> {
  /** Begins the work unless it was begun, and says how far it is. What failed is begun again at the next question. */
  of(
    key: string,
    work: (progress: (done: number, total: number) => void) => Promise<Result>,
  ): Background<Result>;
}

/**
 * Creates a store of results.
 *
 * @param most how many results are kept
 *
 * @example
 * maps.of(run.id, (progress) => embeddingMap(run, progress)).state // 'working'
 */
export function backgroundWork<Result>(most: number): BackgroundWork<Result> {
  const kept = bounded<{ now: Background<Result> }>(most, () => 1);
  return {
    of(key, work) {
      const known = kept.get(key);
      if (known) {
        if (known.now.state === 'failed') kept.delete(key);
        return known.now;
      }
      const entry: { now: Background<Result> } = { now: { state: 'working', done: 0, total: 0 } };
      kept.set(key, entry);
      work((done, total) => {
        entry.now = { state: 'working', done, total };
      }).then(
        (result) => {
          entry.now = { state: 'ready', result };
        },
        (error) => {
          entry.now = { state: 'failed', reason: reasonOf(error) };
        },
      );
      return entry.now;
    },
  };
}
