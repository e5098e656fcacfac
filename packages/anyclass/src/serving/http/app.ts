// The server's routes.

import type { IncomingMessage, RequestListener } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { addRoute, sendJson, sendPage, sendText } from '../../web/answers.js';
import { Problem } from '../../web/problem.js';
import { type Arrived, createWebApp, guarded, type WebAppOptions } from '../../web/webApp.js';
import { docsPath } from '../api/openApi.js';
import type { JsonRequests } from '../bodies/jsonRequests.js';
import { findModel, isReady, recordUnexpected, type ServerState } from '../operation/serverState.js';
import { modelSummary } from './modelSummaries.js';
import { inferRoute, modelMetadata, type PathParts, pathModel, serverMetadata } from './openInference.js';
import { createOverflow } from './overflow.js';
import { createPages } from './pages.js';
import { predictRoute } from './predictRoute.js';
import { recordAnswer, recordFailure } from './recordRequests.js';

export async function createApp(state: ServerState, requests: JsonRequests): Promise<RequestListener> {
  const options = webOptions(state);
  const { routes, answer } = await createWebApp(options);
  addServing(routes, state, requests);
  addPages(routes, state);
  await routes.ready();
  const overflow = createOverflow(state, answer);
  const refuse = guarded(overflow.refuse, options);
  return (incoming, outgoing) => {
    const arrived: Arrived = { incoming, outgoing, arrivedAt: performance.now() };
    if (state.admission.isFull && isPlainPrediction(incoming)) refuse(arrived);
    else answer(arrived);
  };
}

function webOptions(state: ServerState): WebAppOptions {
  const { settings, token } = state;
  return {
    access: {
      host: settings.host,
      allowHost: settings.allowHost,
      allowOrigin: settings.allowOrigin,
      token,
      isPublic: isHealth,
      isOpen: (path) => isHealth(path) || ['/', docsPath, '/openapi.json'].includes(path),
    },
    docs: docsPath,
    isDraining: () => state.isDraining,
    onAnswered: (answered) => recordAnswer(state, answered),
    onUnexpected(error, request) {
      if (request) recordFailure(state, error, request);
      else recordUnexpected(state, error);
    },
  };
}

/**
 * Returns whether a full server may refuse a request without further checks. Requests from pages of another
 * origin take the normal path, because they could not read a refusal without CORS headers.
 */
function isPlainPrediction({ method, url = '', headers }: IncomingMessage): boolean {
  return method === 'POST' && /^\/v1\/predict(\?|$)/.test(url) && headers.origin === undefined;
}

function isHealth(path: string): boolean {
  return path.startsWith('/health/') || path.startsWith('/v2/health/');
}

function addServing(routes: FastifyInstance, state: ServerState, requests: JsonRequests): void {
  const { models, metrics } = state;
  const ready = (_request: FastifyRequest, reply: FastifyReply) => {
    checkReady(state);
    return plain(reply, 'ready');
  };
  for (const path of ['', '/v2']) {
    addRoute(routes, `${path}/health/live`, { GET: (_, reply) => plain(reply, 'ok') });
    addRoute(routes, `${path}/health/ready`, { GET: ready });
  }
  addRoute(routes, '/metrics', {
    GET: async (_, reply) => sendText(reply, metrics.contentType, await metrics.text()),
  });

  addRoute(routes, '/v1/predict', {
    POST: async (request, reply) =>
      sendText(reply, 'application/json', await predictRoute(state, requests, { request, reply })),
  });
  addRoute(routes, '/v1/models', {
    GET: (_, reply) => sendJson(reply, { models: Array.from(models.values(), modelSummary) }),
  });
  addRoute(routes, '/v1/models/:name', {
    GET: (request, reply) => sendJson(reply, modelSummary(findModel(state, partsOf(request).name))),
  });

  addRoute(routes, '/v2', { GET: (_, reply) => sendJson(reply, serverMetadata()) });
  for (const path of ['/v2/models/:name', '/v2/models/:name/versions/:version']) {
    addRoute(routes, path, {
      GET: (request, reply) => sendJson(reply, modelMetadata(pathModel(state, partsOf(request)))),
    });
    addRoute(routes, `${path}/ready`, {
      GET(request, reply) {
        pathModel(state, partsOf(request));
        return ready(request, reply);
      },
    });
    addRoute(routes, `${path}/infer`, {
      POST: async (request, reply) =>
        sendJson(reply, await inferRoute(state, requests, { request, reply }, partsOf(request))),
    });
  }
}

function addPages(routes: FastifyInstance, state: ServerState): void {
  const pages = createPages(state);
  addRoute(routes, '/', { GET: (_, reply) => sendPage(reply, pages.toTry()) });
  addRoute(routes, docsPath, {
    GET: (request, reply) => sendPage(reply, pages.docs(originOf(request))),
  });
  addRoute(routes, '/openapi.json', {
    GET: (_, reply) => sendText(reply, 'application/json', pages.openApi),
  });
}

function plain(reply: FastifyReply, text: string): FastifyReply {
  return sendText(reply, 'text/plain; charset=utf-8', text);
}

/** Returns the decoded parameters of a path. */
function partsOf({ params }: FastifyRequest): PathParts {
  const part = (name: 'name' | 'version'): string | undefined => {
    const value: unknown =
      typeof params === 'object' && params !== null ? Reflect.get(params, name) : undefined;
    return typeof value === 'string' ? value : undefined;
  };
  return { name: part('name'), version: part('version') };
}

function checkReady(state: ServerState): void {
  if (isReady(state)) return;
  const reason = state.isDraining ? 'the server is shutting down' : 'a model is not loaded';
  throw new Problem('unavailable', reason, { retryAfter: 2 });
}

/** Returns the server's address as the client knows it. */
function originOf({ raw }: FastifyRequest): string {
  const address = `http://${raw.headers.host ?? 'localhost'}`;
  if (!URL.canParse(address)) throw new Problem('bad-request', 'the header Host is not a host name');
  return new URL(address).origin;
}
