// Handles prediction requests that arrive while the queue is full. An overloaded server gets more of these
// than of anything else, and the thread that refuses them also answers the others. So each costs as little as
// Node's HTTP allows, and all together get only a share of that thread's time. Within that share, a request
// is refused as soon as it arrives. Beyond it, requests wait, and the oldest is admitted when there is room.

import { closeIfUnread, requestIdOf } from '../../web/exchange.js';
import { problemBody } from '../../web/problem.js';
import type { Arrived } from '../../web/webApp.js';
import { docsPath } from '../api/openApi.js';
import type { Log } from '../operation/log.js';
import type { ServerState } from '../operation/serverState.js';

/**
 * Share of the main thread's time for writing refusals. Beyond it requests wait, and their connections send
 * nothing meanwhile.
 */
const timeShare = 0.03;

/** Milliseconds over which the share is averaged, so that a burst is refused at once. */
const window = 500;

/**
 * Milliseconds that a request may wait. Only as many wait as can be admitted in that time; the rest are
 * refused at any cost.
 */
const longestWait = 250;

export interface Overflow {
  /** Answers 429 at once, or lets the request wait until it is admitted or has waited too long. */
  refuse(arrived: Arrived): void;
}

export type OverflowState = Pick<ServerState, 'admission' | 'metrics' | 'log' | 'isDraining'>;

/**
 * Creates the handler; `admit` is called with a waiting request when there is room for it.
 *
 * @example
 * const overflow = createOverflow(state, respond);
 * if (state.admission.isFull) overflow.refuse({ incoming, outgoing, arrivedAt: performance.now() });
 */
export function createOverflow(state: OverflowState, admit: (arrived: Arrived) => void): Overflow {
  const { admission, metrics, log } = state;
  const waiting: Arrived[] = [];
  const bodyOf = createBodies();
  const tell = createTeller(log);
  let paidUntil = 0;
  let cost = Number.POSITIVE_INFINITY;
  let isWaking = false;

  const write = ({ incoming, outgoing }: Arrived) => {
    const start = performance.now();
    metrics.refused();
    tell();
    const requestId = requestIdOf(incoming);
    const { retryAfter, body } = bodyOf(admission.fullText(), requestId);
    const headers = ['Content-Type', 'application/problem+json', 'Content-Length', String(body.length)];
    headers.push('X-Request-Id', requestId, 'X-Content-Type-Options', 'nosniff', 'Retry-After', retryAfter);
    if (state.isDraining) headers.push('Connection', 'close');
    outgoing.writeHead(429, headers);
    closeIfUnread(incoming, outgoing);
    outgoing.end(body);
    // The recent minimum: when writing took longer, another thread had the core.
    cost = Math.min(performance.now() - start, cost * 1.05);
    paidUntil = Math.min(Math.max(paidUntil, start - window) + cost / timeShare, start + window);
  };

  /** Removes and returns the oldest waiting request whose client is still connected. */
  const next = (): Arrived | undefined => {
    for (;;) {
      const oldest = waiting.shift();
      if (!oldest?.outgoing.destroyed) return oldest;
      metrics.rejected('client-left');
    }
  };

  const isTime = () => paidUntil <= performance.now();
  const isCrowded = () => waiting.length >= (admission.imagesPerSecond() * longestWait) / 1000;

  /** Refuses requests that have waited too long, for example because the model became slower. */
  const wake = () => {
    if (isWaking || waiting.length === 0) return;
    isWaking = true;
    setTimeout(() => {
      isWaking = false;
      const latest = performance.now() - longestWait;
      while (waiting[0] && waiting[0].arrivedAt < latest) {
        const arrived = next();
        if (arrived) write(arrived);
      }
      wake();
    }, longestWait / 10);
  };

  admission.onRoom(() => {
    for (let room = admission.room; room > 0 && waiting.length > 0; room -= 1) {
      const arrived = next();
      if (arrived) admit(arrived);
    }
  });

  return {
    refuse(arrived) {
      if (isTime() || isCrowded()) {
        write(arrived);
        return;
      }
      waiting.push(arrived);
      wake();
    },
  };
}

/** Bodies differ only in the request id, so the rest is built once. */
function createBodies() {
  let made = { message: '', before: '', after: '' };
  return (
    { message, retryAfter }: { readonly message: string; readonly retryAfter: number },
    requestId: string,
  ) => {
    if (made.message !== message) {
      const text = JSON.stringify(problemBody({ kind: 'queue-full', message }, '*', docsPath));
      const at = text.indexOf('"*"') + 1;
      made = { message, before: text.slice(0, at), after: text.slice(at + 1) };
    }
    return { retryAfter: String(retryAfter), body: made.before + requestId + made.after };
  };
}

/** Logs one line per second with the count: thousands of lines would cost more than the refusals. */
function createTeller(log: Log) {
  let refused = 0;
  const say = () => {
    log.warn('queue full', { refused });
    refused = 0;
  };
  return () => {
    if (refused === 0) setTimeout(say, 1000).unref();
    refused += 1;
  };
}
