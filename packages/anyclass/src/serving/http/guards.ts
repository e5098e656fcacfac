// Who may send requests: host names protect against DNS rebinding, origins against foreign pages, a token
// against everyone else.

import { createHash, timingSafeEqual } from 'node:crypto';
import { hostname, networkInterfaces } from 'node:os';
import type { ServeSettings } from '../operation/options.js';
import { Problem } from '../requests/problem.js';
import type { Answer, Exchange } from './exchange.js';

/**
 * Returns the answer if the guard completes the request, otherwise undefined.
 *
 * @throws Problem if the request is refused
 */
export type Guard = (exchange: Exchange) => Answer | undefined;

/**
 * Refuses requests for other hosts: a page whose name is rebound to this machine could otherwise read
 * answers. Health checks are exempt, because they reveal nothing and probes use whatever address they know.
 */
export function hostGuard({ host, allowHost }: ServeSettings): Guard {
  const allowed = new Set([...ownNames(host), ...allowHost].map((name) => name.toLowerCase()));
  return ({ incoming, path }) => {
    const asked = hostName(incoming.headers.host ?? '');
    if (!allowed.has('*') && !allowed.has(asked) && !isHealth(path)) {
      throw new Problem(
        'foreign-host',
        `host '${asked}' is not allowed; expected ${[...allowed].join(', ')}; to allow it, add it to allowHost`,
      );
    }
    return undefined;
  };
}

/** Refuses pages of other origins unless they are allowed; allowed ones get CORS headers. */
export function originGuard({ allowOrigin }: ServeSettings): Guard {
  const allowed = new Set(allowOrigin.map((origin) => origin.toLowerCase().replace(/\/$/, '')));
  return ({ incoming, headers, method }) => {
    const { origin, host } = incoming.headers;
    if (origin === undefined || isSameOrigin(origin, host)) return undefined;
    if (!allowed.has('*') && !allowed.has(origin.toLowerCase())) {
      throw new Problem(
        'foreign-origin',
        `pages from ${origin} may not call this server; to allow them, add it to allowOrigin`,
      );
    }
    headers['Access-Control-Allow-Origin'] = origin;
    headers['Access-Control-Expose-Headers'] = 'X-Request-Id, Retry-After';
    headers['Vary'] = 'Origin';
    if (method !== 'OPTIONS') return undefined;
    headers['Access-Control-Allow-Methods'] = 'GET, POST';
    headers['Access-Control-Allow-Headers'] = 'Authorization, Content-Type, X-Request-Id';
    headers['Access-Control-Max-Age'] = '600';
    return { status: 204 };
  };
}

/**
 * Requires the token everywhere except for health checks and pages, which reveal nothing about the models.
 */
export function tokenGuard(token: string | undefined): Guard {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  const expected = token === undefined ? undefined : digest(`Bearer ${token}`);
  return ({ incoming, headers, path }) => {
    if (!expected) return undefined;
    const isOpen = isHealth(path) || ['/', '/docs', '/openapi.json'].includes(path);
    const given = incoming.headers.authorization ?? '';
    if (isOpen || timingSafeEqual(expected, digest(given))) return undefined;
    headers['WWW-Authenticate'] = 'Bearer';
    throw new Problem(
      'unauthorized',
      given === '' ? 'send the header Authorization: Bearer TOKEN' : 'wrong bearer token',
    );
  };
}

function isHealth(path: string): boolean {
  return path.startsWith('/health/') || path.startsWith('/v2/health/');
}

/** Returns the host name without the port. */
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
