// Who may send requests: host names protect against DNS rebinding, origins against foreign pages, a token
// against everyone else.

import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { hostname, networkInterfaces } from 'node:os';
import { Problem } from './problem.js';

/** Whom a server answers. */
export interface Access {
  /** The address that the server listens on. */
  readonly host: string;
  /** Further host names; `*` for any. */
  readonly allowHost: readonly string[];
  /** Origins of other pages; `*` for any. */
  readonly allowOrigin: readonly string[];
  /** The token that requests must send; undefined if they need none. */
  readonly token: string | undefined;
  /** Whether a path reveals nothing, so that any host may ask for it: health checks know whatever address. */
  isPublic(path: string): boolean;
  /** Whether a path needs no token, such as that of a page. */
  isOpen(path: string): boolean;
}

/** @throws Problem if the request is refused */
export type Guard = (headers: IncomingHttpHeaders, path: string) => void;

/** Refuses requests for other hosts: a page whose name is rebound to this machine could otherwise read answers. */
export function hostGuard({ host, allowHost, isPublic }: Access): Guard {
  const allowed = new Set([...ownNames(host), ...allowHost].map((name) => name.toLowerCase()));
  return (headers, path) => {
    const asked = hostName(headers.host ?? '');
    if (allowed.has('*') || allowed.has(asked) || isPublic(path)) return;
    throw new Problem(
      'foreign-host',
      `host '${asked}' is not allowed; expected ${[...allowed].join(', ')}; to allow it, add it to allowHost`,
    );
  };
}

/** Refuses pages of other origins unless they are allowed. */
export function originGuard({ allowOrigin }: Access): Guard {
  const allowed = new Set(allowOrigin.map((origin) => origin.toLowerCase().replace(/\/$/, '')));
  return ({ origin, host }) => {
    if (origin === undefined || isSameOrigin(origin, host)) return;
    if (allowed.has('*') || allowed.has(origin.toLowerCase())) return;
    throw new Problem(
      'foreign-origin',
      `pages from ${origin} may not call this server; to allow them, add it to allowOrigin`,
    );
  };
}

/** Requires the token, except where the paths are open. */
export function tokenGuard(token: string, { isOpen }: Access): Guard {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  const expected = digest(`Bearer ${token}`);
  return ({ authorization: given = '' }, path) => {
    if (isOpen(path) || timingSafeEqual(expected, digest(given))) return;
    throw new Problem(
      'unauthorized',
      given === '' ? 'send the header Authorization: Bearer TOKEN' : 'wrong bearer token',
    );
  };
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
