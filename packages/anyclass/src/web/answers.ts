// Answers of routes.

import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, RouteHandlerMethod } from 'fastify';
import { Problem } from './problem.js';

/**
 * Adds a route; other methods get a problem that names those it takes.
 *
 * @example
 * addRoute(routes, '/v1/models', { GET: () => ({ models }) });
 */
export function addRoute(
  routes: FastifyInstance,
  url: string,
  handlers: Readonly<Partial<Record<'GET' | 'POST', RouteHandlerMethod>>>,
): void {
  const taken = Object.keys(handlers);
  for (const [method, handler] of Object.entries(handlers)) routes.route({ method, url, handler });
  // Fastify answers HEAD wherever there is a GET.
  const allowed = taken.includes('GET') ? [...taken, 'HEAD'] : taken;
  const others = routes.supportedMethods.filter((method) => !allowed.includes(method));
  routes.route({
    method: others,
    url,
    handler(_, reply) {
      reply.header('Allow', allowed.join(', '));
      throw new Problem('wrong-method', `${url} takes ${taken.join(', ')}`);
    },
  });
}

/** Sends text of exactly this type; Fastify would add a character set to JSON, which has none. */
export function sendText(reply: FastifyReply, type: string, text: string): FastifyReply {
  return reply.header('Content-Type', type).serializer(asIs).send(text);
}

export function sendJson(reply: FastifyReply, value: unknown): FastifyReply {
  return sendText(reply, 'application/json', JSON.stringify(value));
}

function asIs(text: unknown): string {
  return String(text);
}

/** A page and its policy: it may run only its own scripts and connect only to this server. */
export interface ServedPage {
  readonly html: Buffer;
  readonly policy: string;
}

/** Prepares a page. Do it once for many answers: whoever may see a page may ask for it thousands of times. */
export function servedPage(html: string): ServedPage {
  const hashes = Array.from(html.matchAll(/<script>([\s\S]*?)<\/script>/g), ([, script]) => {
    const digest = createHash('sha256')
      .update(script ?? '')
      .digest('base64');
    return `'sha256-${digest}'`;
  });
  return {
    html: Buffer.from(html),
    policy: `default-src 'none'; script-src ${hashes.join(' ')}; style-src 'unsafe-inline'; img-src data: blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  };
}

export function sendPage(reply: FastifyReply, { html, policy }: ServedPage): FastifyReply {
  reply.header('Content-Security-Policy', policy);
  reply.header('Referrer-Policy', 'no-referrer');
  return reply.type('text/html; charset=utf-8').send(html);
}
