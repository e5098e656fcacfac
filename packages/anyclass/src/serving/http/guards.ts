// Who may ask: host names against DNS rebinding, origins against foreign pages, a token against everybody else.

import { createHash, timingSafeEqual } from 'node:crypto';
import { hostname, networkInterfaces } from 'node:os';
import type { MiddlewareHandler } from 'hono';
import type { ServeSettings } from '../options.js';
import { Problem } from '../problem.js';
import type { AppTypes } from './appTypes.js';

/**
 * Refuses requests for another host: a page whose name suddenly resolves to this machine would otherwise read answers. Health
 * checks tell nothing, and probes ask for whatever address they know.
 */
export function hostGuard({ host, allowHost }: ServeSettings): MiddlewareHandler<AppTypes> {
  const allowed = new Set([...ownNames(host), ...allowHost].map((name) => name.toLowerCase()));
  return async (c, next) => {
    const asked = hostName(c.req.header('host') ?? '');
    if (!allowed.has('*') && !allowed.has(asked) && !isHealth(c.req.path)) {
      throw new Problem(
        'foreign-host',
        `host '${asked}' is not allowed; allowed are ${[...allowed].join(', ')}. ` +
          `To allow it, start the server with --allow-host ${asked || 'NAME'}`,
      );
    }
    await next();
  };
}

/** Refuses foreign pages, unless they are allowed; those get what browsers ask for (CORS). */
export function originGuard({ allowOrigin }: ServeSettings): MiddlewareHandler<AppTypes> {
  const allowed = new Set(allowOrigin.map((origin) => origin.toLowerCase().replace(/\/$/, '')));
  return async (c, next) => {
    const origin = c.req.header('origin');
    if (origin === undefined || isSameOrigin(origin, c.req.header('host'))) return next();
    if (!allowed.has('*') && !allowed.has(origin.toLowerCase())) {
      throw new Problem(
        'foreign-origin',
        `pages from ${origin} may not call this server; to allow them, start it with --allow-origin ${origin}`,
      );
    }
    c.header('Access-Control-Allow-Origin', origin);
    c.header('Access-Control-Expose-Headers', 'X-Request-Id, Retry-After');
    c.header('Vary', 'Origin');
    if (c.req.method !== 'OPTIONS') return next();
    c.header('Access-Control-Allow-Methods', 'GET, POST');
    c.header('Access-Control-Allow-Headers', 'Authorization, Content-Type, X-Request-Id');
    c.header('Access-Control-Max-Age', '600');
    return c.body(null, 204);
  };
}

/** Asks for the token everywhere but at health checks and at pages, which hold nothing of the models. */
export function tokenGuard(token: string | undefined): MiddlewareHandler<AppTypes> {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  const expected = token === undefined ? undefined : digest(`Bearer ${token}`);
  return async (c, next) => {
    const isOpen = isHealth(c.req.path) || ['/', '/docs', '/openapi.json'].includes(c.req.path);
    const given = c.req.header('authorization') ?? '';
    if (expected && !isOpen && !timingSafeEqual(expected, digest(given))) {
      c.header('WWW-Authenticate', 'Bearer');
      throw new Problem(
        'unauthorized',
        given === '' ? 'send the header Authorization: Bearer TOKEN' : 'wrong bearer token',
      );
    }
    await next();
  };
}

function isHealth(path: string): boolean {
  return path.startsWith('/health/') || path.startsWith('/v2/health/');
}

/** A name without its port. */
function hostName(header: string): string {
  return header.toLowerCase().replace(/:\d+$/, '');
}

function isSameOrigin(origin: string, host: string | undefined): boolean {
  return host !== undefined && (origin === `http://${host}` || origin === `https://${host}`);
}

function ownNames(host: string): string[] {
  const local = ['localhost', '127.0.0.1', '[::1]'];
  if (host !== '0.0.0.0' && host !== '::') return [...local, host.includes(':') ? `[${host}]` : host];
  const addresses = Object.values(networkInterfaces())
    .flatMap((list) => list ?? [])
    .map(({ address, family }) => (family === 'IPv6' ? `[${address}]` : address));
  return [...new Set([...local, hostname(), ...addresses])];
}
