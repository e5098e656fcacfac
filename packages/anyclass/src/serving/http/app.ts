// Every address of the server.

import { createHash, randomUUID } from 'node:crypto';
import { Hono } from 'hono';
import { routePath } from 'hono/route';
import { messageOf, reasonOf } from '../../errors/reasonOf.js';
import { apiPage } from '../pages/apiPage.js';
import { tryPage } from '../pages/tryPage.js';
import { Problem, problemBody } from '../problem.js';
import { findModel, isReady, type ServerState } from '../serverState.js';
import type { AppContext, AppTypes } from './appTypes.js';
import { hostGuard, originGuard, tokenGuard } from './guards.js';
import { modelSummary } from './modelSummaries.js';
import { openApi } from './openApi.js';
import { inferRoute, modelMetadata, pathModel, serverMetadata } from './openInference.js';
import { predictRoute } from './predictRoute.js';

export function createApp(state: ServerState): Hono<AppTypes> {
  const { settings, token, models, metrics } = state;
  const needsToken = token !== undefined;
  const app = new Hono<AppTypes>();

  app.use(async (c, next) => {
    c.set('arrivedAt', performance.now());
    c.set('requestId', requestId(c.req.header('x-request-id')));
    c.set('logged', {});
    c.header('X-Request-Id', c.get('requestId'));
    c.header('X-Content-Type-Options', 'nosniff');
    await next();
    if (state.isDraining) c.header('Connection', 'close');
    tellRequest(state, c);
  });
  app.use(hostGuard(settings));
  app.use(originGuard(settings));
  app.use(tokenGuard(token));

  app.get('/health/live', (c) => c.text('ok'));
  app.get('/health/ready', (c) => readiness(state, c));
  app.get('/metrics', async (c) =>
    c.body(await metrics.text(), 200, { 'Content-Type': metrics.contentType }),
  );

  app.post('/v1/predict', (c) => predictRoute(state, c));
  app.get('/v1/models', (c) => c.json({ models: [...models.values()].map(modelSummary) }));
  app.get('/v1/models/:name', (c) => c.json(modelSummary(findModel(state, c.req.param('name')))));

  app.get('/v2', (c) => c.json(serverMetadata()));
  app.get('/v2/health/live', (c) => c.text('ok'));
  app.get('/v2/health/ready', (c) => readiness(state, c));
  for (const path of ['/v2/models/:name', '/v2/models/:name/versions/:version']) {
    app.get(path, (c) => c.json(modelMetadata(pathModel(state, c))));
    app.get(`${path}/ready`, (c) => {
      pathModel(state, c);
      return readiness(state, c);
    });
    app.post(`${path}/infer`, (c) => inferRoute(state, c));
  }

  app.get('/', (c) => htmlPage(c, tryPage([...models.keys()], { needsToken })));
  app.get('/docs', (c) => htmlPage(c, apiPage(new URL(c.req.url).origin, needsToken)));
  app.get('/openapi.json', (c) => c.json(openApi(needsToken)));

  app.notFound((c) => {
    const routes = app.routes.filter(({ method, path }) => method !== 'ALL' && path === c.req.path);
    if (routes.length === 0) throw new Problem('not-found', `nothing at ${c.req.path}; see /docs`);
    throw new Problem('wrong-method', `${c.req.path} takes ${routes.map(({ method }) => method).join(', ')}`);
  });
  app.onError((error, c) => problemAnswer(state, c, error));
  return app;
}

function readiness(state: ServerState, c: AppContext): Response {
  if (isReady(state)) return c.text('ready');
  throw new Problem(
    'unavailable',
    state.isDraining ? 'the server is shutting down' : 'a model is not loaded',
    {
      retryAfter: 2,
    },
  );
}

function problemAnswer(state: ServerState, c: AppContext, error: unknown): Response {
  const problem =
    error instanceof Problem
      ? error
      : new Problem('internal', 'the request failed; the server log has the reason');
  if (problem !== error)
    state.log.error('request failed', {
      requestId: c.get('requestId'),
      path: c.req.path,
      error: reasonOf(error),
      stack: error instanceof Error ? error.stack : messageOf(error),
    });
  state.metrics.rejected(problem.kind);
  c.get('logged')['problem'] = problem.kind;
  c.get('logged')['detail'] = problem.message;
  if (problem.retryAfter !== undefined) c.header('Retry-After', String(problem.retryAfter));
  return c.body(JSON.stringify(problemBody(problem, c.get('requestId'))), {
    // 499 is only for the log: there is nobody to read it.
    status: problem.status === 499 ? 400 : problem.status,
    headers: { 'Content-Type': 'application/problem+json' },
  });
}

/** Counts a request and writes its log line; health checks and scrapes come all the time and are only counted. */
function tellRequest(state: ServerState, c: AppContext): void {
  const milliseconds = performance.now() - c.get('arrivedAt');
  const status = c.get('logged')['problem'] === 'client-left' ? 499 : c.res.status;
  const path = routePath(c, -1);
  // Of a path that is not there, only that: anybody can make up any number of them.
  const route = status === 404 && !path.includes(':') ? 'none' : path;
  state.metrics.request(route, c.req.method, status, milliseconds / 1000);
  const isRoutine = status < 400 && (c.req.path.includes('/health/') || c.req.path === '/metrics');
  if (isRoutine) return;
  const fields = {
    requestId: c.get('requestId'),
    method: c.req.method,
    path: c.req.path,
    status,
    milliseconds: Number(milliseconds.toFixed(2)),
    ...c.get('logged'),
  };
  if (status >= 500) state.log.warn('request', fields);
  else state.log.info('request', fields);
}

/** A client's own, if it is harmless in a log. */
function requestId(given: string | undefined): string {
  return given !== undefined && /^[\w.:-]{1,128}$/.test(given) ? given : randomUUID();
}

/** A page that runs its own scripts and talks to this server, and nothing else. */
function htmlPage(c: AppContext, html: string): Response | Promise<Response> {
  const hashes = Array.from(html.matchAll(/<script>([\s\S]*?)<\/script>/g), ([, script]) => {
    const digest = createHash('sha256')
      .update(script ?? '')
      .digest('base64');
    return `'sha256-${digest}'`;
  });
  c.header(
    'Content-Security-Policy',
    `default-src 'none'; script-src ${hashes.join(' ')}; style-src 'unsafe-inline'; img-src data: blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  );
  c.header('Referrer-Policy', 'no-referrer');
  return c.html(html);
}
