// What every server here has in common, on Fastify: request ids, guards, CORS, problems, and one guard around
// everything that is done for a request.

import type { IncomingMessage, ServerResponse } from 'node:http';
import fastifyCors from '@fastify/cors';
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { sendText } from './answers.js';
import { closeIfUnread, type Exchange, pathOf, requestIdOf } from './exchange.js';
import { type Access, type Guard, hostGuard, originGuard, tokenGuard } from './guards.js';
import { Problem, problemBody, problemOf } from './problem.js';

/** A request, and its arrival time by `performance.now()`. */
export interface Arrived {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  readonly arrivedAt: number;
}

/** A request with its answer. */
export interface Answered extends Exchange {
  readonly requestId: string;
  readonly method: string;
  /** The pattern of the route, such as `/v1/models/:name`; undefined if there is none. */
  readonly route: string | undefined;
  readonly status: number;
  readonly milliseconds: number;
}

export interface WebAppOptions {
  readonly access: Access;
  /** The path of the page that explains every kind of problem; without, answers name none. */
  readonly docs?: string;
  /** Whether the server is shutting down; it then closes each connection after its answer. */
  isDraining(): boolean;
  /** Called with every answer just before it is sent. */
  onAnswered(answered: Answered): void;
  /** Called with an error of our own; with the request if that is answered with a problem. */
  onUnexpected(error: unknown, request?: { readonly requestId: string; readonly path: string }): void;
}

export interface WebApp {
  /** Where routes are added; call its `ready()` before the first request. */
  readonly routes: FastifyInstance;
  /** Answers a request. */
  answer(arrived: Arrived): void;
}

/** Characters of a parameter in a path: as many as Node's limit on all headers allows. */
const longestParameter = 1 << 14;

/**
 * Creates an app without routes. Bodies are left unread for the routes, which have limits of their own.
 *
 * @example
 * const { routes, answer } = await createWebApp(options);
 * addRoute(routes, '/health/live', { GET: () => 'ok' });
 * await routes.ready();
 * createServer((incoming, outgoing) => answer({ incoming, outgoing, arrivedAt: performance.now() }));
 */
export async function createWebApp(options: WebAppOptions): Promise<WebApp> {
  // When the request arrived that Fastify is given: it calls the first hook before it returns.
  let arrivedAt = 0;
  const { prepare, refuse, finish } = createSteps(options, () => arrivedAt);
  const checks = createChecks(options.access);
  const routes = fastify({
    genReqId: requestIdOf,
    requestIdHeader: false,
    return503OnClosing: false,
    routerOptions: { maxParamLength: longestParameter },
    // A target that the router cannot read reaches no hook.
    frameworkErrors(error, request, reply) {
      prepare(request, reply);
      refuse(whyRefused(checks, request) ?? error, request, reply);
      finish(request, reply);
    },
  });
  routes.decorateRequest('exchange');
  // As far as Fastify knows, no method has a body, so it reads none.
  for (const method of routes.supportedMethods) routes.addHttpMethod(method, { overrideExisting: true });
  routes.setErrorHandler(refuse);
  routes.setNotFoundHandler(({ exchange }) => {
    throw new Problem(
      'not-found',
      `nothing at ${exchange.path}${options.docs === undefined ? '' : `; see ${options.docs}`}`,
    );
  });
  await addGuards(routes, checks, { access: options.access, prepare });
  routes.addHook('onSend', (request, reply, _payload, done) => {
    finish(request, reply);
    done();
  });
  const answer = guarded((arrived) => {
    arrivedAt = arrived.arrivedAt;
    routes.routing(arrived.incoming, arrived.outgoing);
  }, options);
  return { routes, answer };
}

/** Runs what is done for a request. Whatever it throws costs that request alone. */
export function guarded(
  work: (arrived: Arrived) => void,
  { onUnexpected }: Pick<WebAppOptions, 'onUnexpected'>,
): (arrived: Arrived) => void {
  return (arrived) => {
    const { incoming, outgoing } = arrived;
    // A connection that breaks is of no interest here, but an error without a listener would end the process.
    incoming.on('error', ignore);
    outgoing.on('error', ignore);
    try {
      work(arrived);
    } catch (error) {
      sendInternal(outgoing);
      onUnexpected(error);
    }
  };
}

function ignore(): void {}

type Step = (request: FastifyRequest, reply: FastifyReply) => void;

/** What is done for every request: first, if it is refused, and just before its answer is sent. */
function createSteps(options: WebAppOptions, arrival: () => number) {
  const { onUnexpected } = options;
  const prepare: Step = (request, reply) => {
    const { raw, id } = request;
    request.exchange = { arrivedAt: arrival(), path: pathOf(raw.url), logged: {} };
    reply.header('x-request-id', id).header('x-content-type-options', 'nosniff');
  };
  const refuse = (error: unknown, request: FastifyRequest, reply: FastifyReply) => {
    const problem = problemOf(error);
    const { id: requestId, exchange } = request;
    if (problem.kind === 'internal') onUnexpected(error, { requestId, path: exchange.path });
    exchange.problem = problem;
    if (problem.retryAfter !== undefined) reply.header('Retry-After', String(problem.retryAfter));
    if (problem.kind === 'unauthorized') reply.header('WWW-Authenticate', 'Bearer');
    const body = problemBody(problem, requestId, options.docs);
    sendText(reply.code(body.status), 'application/problem+json', JSON.stringify(body));
  };
  const finish: Step = (request, reply) => {
    const { raw, id: requestId, method, exchange } = request;
    const { arrivedAt, path, logged, problem } = exchange;
    if (options.isDraining()) reply.header('Connection', 'close');
    closeIfUnread(raw, reply.raw);
    try {
      options.onAnswered({
        arrivedAt,
        path,
        logged,
        problem,
        requestId,
        method,
        route: request.is404 ? undefined : request.routeOptions.url,
        status: reply.statusCode,
        milliseconds: performance.now() - arrivedAt,
      });
    } catch (error) {
      onUnexpected(error);
    }
  };
  return { prepare, refuse, finish };
}

/** Who may ask: first checked for every request, then, unless a browser asks what it may send, the token. */
interface Checks {
  readonly first: Guard;
  readonly token: Guard;
}

function createChecks(access: Access): Checks {
  const checkHost = hostGuard(access);
  const checkOrigin = originGuard(access);
  return {
    first(headers, path) {
      checkHost(headers, path);
      checkOrigin(headers, path);
    },
    token: access.token === undefined ? () => {} : tokenGuard(access.token, access),
  };
}

/** Returns why a request is refused that reaches no hook; undefined if it may ask. */
function whyRefused({ first, token }: Checks, { raw, exchange }: FastifyRequest): unknown {
  try {
    first(raw.headers, exchange.path);
    token(raw.headers, exchange.path);
    return undefined;
  } catch (error) {
    return error;
  }
}

async function addGuards(
  routes: FastifyInstance,
  { first, token }: Checks,
  { access, prepare }: { readonly access: Access; readonly prepare: Step },
): Promise<void> {
  routes.addHook('onRequest', (request, reply, done) => {
    prepare(request, reply);
    first(request.raw.headers, request.exchange.path);
    done();
  });
  if (access.allowOrigin.length > 0) {
    await routes.register(fastifyCors, {
      origin: true, // the guard has refused all others
      methods: ['GET', 'POST'],
      allowedHeaders: ['Authorization', 'Content-Type', 'X-Request-Id'],
      exposedHeaders: ['X-Request-Id', 'Retry-After'],
      maxAge: 600,
      strictPreflight: false,
    });
  }
  // After CORS: a browser asks without the token whether it may send it.
  routes.addHook('onRequest', (request, _reply, done) => {
    token(request.raw.headers, request.exchange.path);
    done();
  });
}

/** Answers 500, unless there is an answer; one that was only started is cut off. */
function sendInternal(outgoing: ServerResponse): void {
  if (outgoing.writableEnded) return;
  if (outgoing.headersSent) outgoing.destroy();
  else outgoing.writeHead(500, { 'Content-Length': 0, Connection: 'close' }).end();
}
