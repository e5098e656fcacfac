// A request and its answer on the way through the server, on Node's own HTTP: fetch's Request and Response take longer to make than a
// small model to compute.

import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';

export interface Exchange {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  /** GET for HEAD: the answer is the same, and Node leaves its body out. */
  readonly method: string;
  readonly path: string;
  /** Behind the question mark; empty without one. */
  readonly query: string;
  readonly requestId: string;
  /** Milliseconds, of `performance.now()`. */
  readonly arrivedAt: number;
  /** Headers that the answer has beside its own. */
  readonly headers: Record<string, string>;
  /** What the log line of the request says beside the usual. */
  readonly logged: Record<string, unknown>;
}

export interface Answer {
  readonly status: number;
  /** Its media type; none for an answer without a body. */
  readonly type?: string;
  readonly body?: string;
}

export function json(value: unknown): Answer {
  return { status: 200, type: 'application/json', body: JSON.stringify(value) };
}

export function text(body: string, type = 'text/plain; charset=utf-8'): Answer {
  return { status: 200, type, body };
}

/** A client that sends a body that nobody reads has this many milliseconds to end it. */
const unreadMilliseconds = 500;

export function send({ incoming, outgoing, headers }: Exchange, { status, type, body = '' }: Answer): void {
  if (type !== undefined) {
    headers['Content-Type'] = type;
    headers['Content-Length'] = String(Buffer.byteLength(body));
  }
  outgoing.writeHead(status, headers);
  endUnread(incoming, outgoing, body);
}

/** Ends an answer whose request may not have been read to its end. */
export function endUnread(incoming: IncomingMessage, outgoing: ServerResponse, body: string): void {
  outgoing.end(body, () => {
    // Node reads and drops the rest of the body, however long it is; the client should see the answer before the connection ends.
    if (incoming.complete) return;
    setTimeout(() => {
      if (!incoming.complete) incoming.socket.destroySoon();
    }, unreadMilliseconds).unref();
  });
}

/**
 * Path and query of the first line of a request, which may hold a whole address.
 *
 * @example
 * target('/v1/predict?model=pipes') // { path: '/v1/predict', query: 'model=pipes' }
 */
export function target(url: string): { readonly path: string; readonly query: string } {
  const start = /^https?:\/\/[^/?]+/i.exec(url)?.[0].length ?? 0;
  const mark = url.indexOf('?', start);
  return mark === -1
    ? { path: url.slice(start), query: '' }
    : { path: url.slice(start, mark), query: url.slice(mark + 1) };
}

/** A client's own, if it is harmless in a log. */
export function requestIdOf({ headers }: IncomingMessage): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && /^[\w.:-]{1,128}$/.test(given) ? given : randomUUID();
}
