// A request and its answer, on Node's own HTTP: creating fetch's Request and Response would take longer than
// running a small model.

import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';

export interface Exchange {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  /** The method; GET for HEAD, because the answer is the same and Node omits its body. */
  readonly method: string;
  readonly path: string;
  /** The part after the question mark; empty if there is none. */
  readonly query: string;
  readonly requestId: string;
  /** Arrival time by `performance.now()`, in milliseconds. */
  readonly arrivedAt: number;
  /** Additional headers of the answer. */
  readonly headers: Record<string, string>;
  /** Additional fields of the request's log line. */
  readonly logged: Record<string, unknown>;
}

export interface Answer {
  readonly status: number;
  /** Media type; none for an answer without a body. */
  readonly type?: string;
  readonly body?: string;
}

export function json(value: unknown): Answer {
  return { status: 200, type: 'application/json', body: JSON.stringify(value) };
}

export function text(body: string, type = 'text/plain; charset=utf-8'): Answer {
  return { status: 200, type, body };
}

/** Milliseconds that a client gets to finish sending a body that is not read. */
const unreadMilliseconds = 500;

export function send({ incoming, outgoing, headers }: Exchange, { status, type, body = '' }: Answer): void {
  if (type !== undefined) {
    headers['Content-Type'] = type;
    headers['Content-Length'] = String(Buffer.byteLength(body));
  }
  outgoing.writeHead(status, headers);
  endUnread(incoming, outgoing, body);
}

/** Ends an answer whose request may not have been read completely. */
export function endUnread(incoming: IncomingMessage, outgoing: ServerResponse, body: string): void {
  outgoing.end(body, () => {
    // Node would read and discard the rest of the body, however long. The pause lets the client see the
    // answer before the connection closes.
    if (incoming.complete) return;
    setTimeout(() => {
      if (!incoming.complete) incoming.socket.destroySoon();
    }, unreadMilliseconds).unref();
  });
}

/**
 * Splits the target of a request, which may be a complete URL, into path and query.
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

/** Returns the client's own request id if it is safe to log, otherwise a new one. */
export function requestIdOf({ headers }: IncomingMessage): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && /^[\w.:-]{1,128}$/.test(given) ? given : randomUUID();
}
