// The server's routes.

import { createHash } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { messageOf, reasonOf } from '../../errors/reasonOf.js';
import { openApi } from '../api/openApi.js';
import type { JsonRequests } from '../bodies/jsonRequests.js';
import { findModel, isReady, type ServerState, tellUnexpected } from '../operation/serverState.js';
import { apiPage } from '../pages/apiPage.js';
import { tryPage } from '../pages/tryPage.js';
import { Problem, type ProblemText, problemBody } from '../requests/problem.js';
import { type Answer, type Exchange, json, requestIdOf, send, target, text } from './exchange.js';
import { hostGuard, originGuard, tokenGuard } from './guards.js';
import { modelSummary } from './modelSummaries.js';
import { inferRoute, modelMetadata, pathModel, serverMetadata } from './openInference.js';
import { type Arrived, createOverflow } from './overflow.js';
import { predictRoute } from './predictRoute.js';
import { createRouter, type Found, type Router } from './router.js';

export function createApp(state: ServerState, requests: JsonRequests): RequestListener {
  const { settings, token } = state;
  const router = createRoutes(state, requests);
  const guards = [hostGuard(settings), originGuard(settings), tokenGuard(token)];

  const answerTo = (exchange: Exchange, found: Found | undefined): Answer | Promise<Answer> => {
    for (const guard of guards) {
      const answer = guard(exchange);
      if (answer) return answer;
    }
    if (!found) throw new Problem('not-found', `nothing at ${exchange.path}; see /docs`);
    return found.handlerOf(exchange.method)(exchange, found.parts);
  };

  const finish = (exchange: Exchange, route: string, answer: Answer) => {
    if (state.isDraining) exchange.headers['Connection'] = 'close';
    send(exchange, answer);
    tellRequest(state, exchange, route, answer.status);
  };

  const respond = async (arrived: Arrived) => {
    const exchange = exchangeOf(arrived);
    let found: Found | undefined;
    let answer: Answer;
    try {
      found = router.find(exchange.path);
      answer = await answerTo(exchange, found);
    } catch (error) {
      answer = problemAnswer(state, exchange, problemOf(state, exchange, error));
    }
    // Unknown paths share one label, because clients could make up any number of them.
    finish(exchange, found?.route ?? 'none', answer);
  };

  /** Runs everything that is done for a request. Whatever it throws costs that request alone. */
  const guarded = async (arrived: Arrived, work: (arrived: Arrived) => void | Promise<void>) => {
    try {
      await work(arrived);
    } catch (error) {
      sendInternal(arrived.outgoing);
      tellUnexpected(state, error);
    }
  };

  const overflow = createOverflow(state, (arrived) => void guarded(arrived, respond));
  return (incoming, outgoing) => {
    // A connection that breaks is of no interest here, but an error without a listener would end the process.
    incoming.on('error', () => {});
    outgoing.on('error', () => {});
    const isRefused = state.admission.isFull && isPlainPrediction(incoming);
    void guarded({ incoming, outgoing, arrivedAt: performance.now() }, isRefused ? overflow.refuse : respond);
  };
}

/**
 * Returns whether a full server may refuse a request without further checks. Requests from pages of another
 * origin take the normal path, because they could not read a refusal without CORS headers.
 */
function isPlainPrediction({ method, url = '', headers }: IncomingMessage): boolean {
  return method === 'POST' && /^\/v1\/predict(\?|$)/.test(url) && headers.origin === undefined;
}

function createRoutes(state: ServerState, requests: JsonRequests): Router {
  const { token, models, metrics } = state;
  const needsToken = token !== undefined;
  const router = createRouter();

  router.add('GET', '/health/live', () => text('ok'));
  router.add('GET', '/health/ready', () => readiness(state));
  router.add('GET', '/metrics', async () => text(await metrics.text(), metrics.contentType));

  router.add('POST', '/v1/predict', (exchange) => predictRoute(state, requests, exchange));
  router.add('GET', '/v1/models', () => json({ models: [...models.values()].map(modelSummary) }));
  router.add('GET', '/v1/models/:name', (_, { name }) => json(modelSummary(findModel(state, name))));

  router.add('GET', '/v2', () => json(serverMetadata()));
  router.add('GET', '/v2/health/live', () => text('ok'));
  router.add('GET', '/v2/health/ready', () => readiness(state));
  for (const path of ['/v2/models/:name', '/v2/models/:name/versions/:version']) {
    router.add('GET', path, (_, parts) => json(modelMetadata(pathModel(state, parts))));
    router.add('GET', `${path}/ready`, (_, parts) => {
      pathModel(state, parts);
      return readiness(state);
    });
    router.add('POST', `${path}/infer`, (exchange, parts) => inferRoute(state, requests, exchange, parts));
  }

  router.add('GET', '/', (exchange) => htmlPage(exchange, tryPage([...models.keys()], { needsToken })));
  router.add('GET', '/docs', (exchange) => htmlPage(exchange, apiPage(originOf(exchange), needsToken)));
  router.add('GET', '/openapi.json', () => json(openApi(needsToken)));
  return router;
}

function exchangeOf(arrived: Arrived): Exchange {
  const { incoming, outgoing, arrivedAt } = arrived;
  const requestId = requestIdOf(incoming);
  const { path, query } = target(incoming.url ?? '');
  // Fields are listed by name, because spreading objects would add several microseconds to every request.
  return {
    incoming,
    outgoing,
    arrivedAt,
    method: incoming.method === 'HEAD' ? 'GET' : (incoming.method ?? 'GET'),
    path,
    query,
    requestId,
    headers: { 'X-Request-Id': requestId, 'X-Content-Type-Options': 'nosniff' },
    logged: {},
  };
}

function readiness(state: ServerState): Answer {
  if (isReady(state)) return text('ready');
  const reason = state.isDraining ? 'the server is shutting down' : 'a model is not loaded';
  throw new Problem('unavailable', reason, { retryAfter: 2 });
}

/** Answers 500, unless there is an answer; one that was only started is cut off. */
function sendInternal(outgoing: ServerResponse): void {
  if (outgoing.writableEnded) return;
  if (outgoing.headersSent) outgoing.destroy();
  else outgoing.writeHead(500, { 'Content-Length': 0, Connection: 'close' }).end();
}

/** Returns what to tell the client about an error; the reason for an internal error goes only to the log. */
function problemOf(state: ServerState, { requestId, path }: Exchange, error: unknown): Problem {
  if (error instanceof Problem) return error;
  state.log.error('request failed', {
    requestId,
    path,
    error: reasonOf(error),
    stack: error instanceof Error ? error.stack : messageOf(error),
  });
  return new Problem('internal', 'the request failed; the server log has the reason');
}

function problemAnswer(state: ServerState, exchange: Exchange, problem: ProblemText): Answer {
  const { requestId, logged, headers } = exchange;
  const { kind, message, retryAfter } = problem;
  state.metrics.rejected(kind);
  logged['problem'] = kind;
  logged['detail'] = message;
  if (retryAfter !== undefined) headers['Retry-After'] = String(retryAfter);
  const body = problemBody(problem, requestId);
  return { status: body.status, type: 'application/problem+json', body: JSON.stringify(body) };
}

/** Counts and logs a request; successful health checks and scrapes are frequent and are only counted. */
function tellRequest(state: ServerState, exchange: Exchange, route: string, status: number): void {
  const { incoming, path, requestId, arrivedAt, logged } = exchange;
  const { method = 'GET' } = incoming;
  const milliseconds = performance.now() - arrivedAt;
  state.metrics.request(route, method, status, milliseconds / 1000);
  const isRoutine = status < 400 && (path.includes('/health/') || path === '/metrics');
  if (isRoutine) return;
  const fields = {
    requestId,
    method,
    path,
    status,
    milliseconds: Number(milliseconds.toFixed(2)),
    ...logged,
  };
  if (status >= 500) state.log.warn('request', fields);
  else state.log.info('request', fields);
}

/** Returns the server's address as the client knows it. */
function originOf({ incoming }: Exchange): string {
  const address = `http://${incoming.headers.host ?? 'localhost'}`;
  if (!URL.canParse(address)) throw new Problem('bad-request', 'the header Host is not a host name');
  return new URL(address).origin;
}

/** Returns a page that may run only its own scripts and connect only to this server. */
function htmlPage({ headers }: Exchange, html: string): Answer {
  const hashes = Array.from(html.matchAll(/<script>([\s\S]*?)<\/script>/g), ([, script]) => {
    const digest = createHash('sha256')
      .update(script ?? '')
      .digest('base64');
    return `'sha256-${digest}'`;
  });
  headers['Content-Security-Policy'] =
    `default-src 'none'; script-src ${hashes.join(' ')}; style-src 'unsafe-inline'; img-src data: blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
  headers['Referrer-Policy'] = 'no-referrer';
  return text(html, 'text/html; charset=utf-8');
}
