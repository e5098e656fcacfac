// Work that the server does in the background: asked for again until it is done.

import { useEffect, useState } from 'preact/hooks';
import { ask, reasonOf } from '../state/server.js';
import type { Background } from '../wire/look.js';

/** Milliseconds between questions. */
const askEvery = 600;

/**
 * Follows work of the server; nothing without a query.
 *
 * @example
 * const map = useBackground<EmbeddingMap>('look/map', isShown ? { run } : undefined);
 */
export function useBackground<Result>(
  path: string,
  query: Readonly<Record<string, string>> | undefined,
): Background<Result> | undefined {
  const key = query && `${path}?${new URLSearchParams(query)}`;
  const [found, setFound] = useState<{ readonly key: string; readonly now: Background<Result> }>();
  useEffect(() => {
    if (key === undefined) return;
    const aborted = new AbortController();
    const set = (now: Background<Result>) => {
      if (!aborted.signal.aborted) setFound({ key, now });
    };
    const follow = async () => {
      while (!aborted.signal.aborted) {
        const now = await ask<Background<Result>>(path, query, aborted.signal);
        set(now);
        if (now.state !== 'working') return;
        await new Promise((next) => setTimeout(next, askEvery));
      }
    };
    follow().catch((error) => set({ state: 'failed', reason: reasonOf(error) }));
    return () => aborted.abort();
  }, [key]);
  return key !== undefined && found?.key === key ? found.now : undefined;
}
