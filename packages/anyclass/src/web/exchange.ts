// What is known about a request beside what Fastify knows.

import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ProblemText } from './problem.js';

export interface Exchange {
  /** Arrival time by `performance.now()`, in milliseconds. */
  readonly arrivedAt: number;
  readonly path: string;
  /** Additional fields of the request's log line. */
  readonly logged: Record<string, unknown>;
  /** Why the request is refused. */
  problem?: ProblemText | undefined;
}

declare module 'fastify' {
  interface FastifyRequest {
    exchange: Exchange;
  }
}

/** Returns the client's own request id if it is safe to log, otherwise a new one. */
export function requestIdOf({ headers }: IncomingMessage): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && /^[\w.:-]{1,128}$/.test(given) ? given : randomUUID();
}

/**
 * Returns the path of a request, whose target may be a complete URL.
 *
 * @example
 * pathOf('http://localhost/v1/predict?model=pipes') // '/v1/predict'
 */
export function pathOf(url = ''): string {
  const start = /^https?:\/\/[^/?]+/i.exec(url)?.[0].length ?? 0;
  const mark = url.indexOf('?', start);
  return url.slice(start, mark === -1 ? undefined : mark);
}

/** Milliseconds that a client gets to finish sending a body that is not read. */
const unreadMilliseconds = 500;

/** Closes the connection after an answer whose request was not read completely. */
export function closeIfUnread(incoming: IncomingMessage, outgoing: ServerResponse): void {
  const { 'content-length': length = '0', 'transfer-encoding': encoding } = incoming.headers;
  const hasBody = length !== '0' || encoding !== undefined;
  if (incoming.complete || !hasBody) return;
  // A request that is destroyed has none any more.
  const { socket } = incoming;
  outgoing.once('finish', () => {
    // Node would read and discard the rest of the body, however long. The pause lets the client see the
    // answer before the connection closes.
    if (incoming.complete) return;
    setTimeout(() => {
      if (!incoming.complete) socket.destroySoon();
    }, unreadMilliseconds).unref();
  });
}
