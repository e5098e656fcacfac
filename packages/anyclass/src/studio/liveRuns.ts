// Tells open pages what changes, by server-sent events. Nothing is read while no page is open.

import type { RunChanges } from '@anyclass/studio';
import type { FastifyReply } from 'fastify';
import type { RunIndex } from './runIndex.js';

/** Milliseconds between looks at the runs that have not ended, and between searches for new ones. */
const followEvery = 250;
const searchEvery = 2000;

/** Bytes that wait for a page; one that does not read them, as in a suspended tab, is left. */
const mostUnread = 16 << 20;

export interface LiveRuns {
  /** Sends the list to a page, and from then on what changes. */
  subscribe(reply: FastifyReply): void;
  /** Searches now, as after a run was moved, and tells all pages. */
  refresh(): Promise<void>;
  /** Sends an event of another kind to all pages. */
  tell(event: string, data: unknown): void;
  close(): void;
}

export function liveRuns(index: RunIndex, onUnexpected: (error: unknown) => void): LiveRuns {
  const pages = new Set<FastifyReply['raw']>();
  let timer: NodeJS.Timeout | undefined;
  let searchedAt = 0;
  let isClosed = false;

  const tell = (event: string, data: unknown) => {
    const text = `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
    for (const page of pages) {
      // One that goes on asks again, and gets the list.
      if (page.writableLength > mostUnread) page.destroy();
      else page.write(text);
    }
  };
  const tellChanges = (changes: RunChanges) => {
    if (changes.changed.length + changes.removed.length > 0) tell('changes', changes);
  };
  const search = async () => {
    searchedAt = performance.now();
    tellChanges(await index.search());
  };
  const look = async () => {
    try {
      if (performance.now() - searchedAt > searchEvery) await search();
      else tellChanges(index.follow());
    } catch (error) {
      onUnexpected(error);
    }
    timer = pages.size > 0 && !isClosed ? setTimeout(look, followEvery) : undefined;
  };
  return {
    subscribe(reply) {
      reply.hijack();
      const { raw } = reply;
      raw.writeHead(200, {
        'Content-Type': 'text/event-stream',
        'Cache-Control': 'no-store',
        'X-Content-Type-Options': 'nosniff',
      });
      raw.write(`retry: 1000\nevent: list\ndata: ${JSON.stringify(index.list())}\n\n`);
      pages.add(raw);
      raw.once('close', () => pages.delete(raw));
      timer ??= setTimeout(look, 0);
    },
    refresh: search,
    tell,
    close() {
      isClosed = true;
      clearTimeout(timer);
      for (const page of pages) page.end();
    },
  };
}
