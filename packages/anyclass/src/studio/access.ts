// Who may use Studio: whoever has the printed address. Its token is exchanged for a cookie at the first visit, so that it does not stay
// in the address bar, in history or in a copied link.

import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Problem } from '../web/problem.js';

export interface StudioAccess {
  /** The query of the printed address. */
  readonly query: string;
  /** Refuses every request without the cookie, and exchanges the token for it. Call it before routes are added. */
  guard(routes: FastifyInstance): void;
}

/**
 * Creates the token of a server.
 *
 * @param portOf the port, which is known once the server listens: browsers keep cookies by host alone, and several servers must not take
 * each other's
 */
export function studioAccess(portOf: () => number): StudioAccess {
  const token = randomBytes(24).toString('base64url');
  // Not the token itself: whoever reads the cookie cannot print the address.
  const session = randomBytes(24).toString('base64url');
  const cookieName = () => `anyclass-studio-${portOf()}`;
  const guard = (routes: FastifyInstance) => {
    routes.addHook('onRequest', (request, reply, done) => {
      reply.header('Cross-Origin-Resource-Policy', 'same-origin').header('Cache-Control', 'no-store');
      refuseOtherSites(request);
      const asked = queryOf(request);
      const given = request.exchange.path === '/' ? asked.get('token') : null;
      if (given !== null && isEqual(given, token)) {
        exchange(reply, asked);
        return;
      }
      if (!isEqual(cookieOf(request, cookieName()), session))
        throw new Problem('unauthorized', 'open the address that anyclass studio printed, with its token');
      done();
    });
  };
  const exchange = (reply: FastifyReply, asked: URLSearchParams) => {
    asked.delete('token');
    const kept = asked.toString();
    reply
      .header('Set-Cookie', `${cookieName()}=${session}; Path=/; HttpOnly; SameSite=Strict`)
      .header('Referrer-Policy', 'no-referrer')
      .redirect(kept === '' ? '/' : `/?${kept}`, 303);
  };
  return { query: `?token=${token}`, guard };
}

/** The query of a target, which need not be part of any URL: of `//`, there is none. */
function queryOf({ raw: { url = '' } }: FastifyRequest): URLSearchParams {
  const mark = url.indexOf('?');
  return new URLSearchParams(mark < 0 ? '' : url.slice(mark));
}

/** Refuses what pages of other sites ask for, also those of other ports of this machine, to which browsers send the cookie. */
function refuseOtherSites({ raw }: FastifyRequest): void {
  const site = raw.headers['sec-fetch-site'];
  const isNavigation = raw.headers['sec-fetch-mode'] === 'navigate' && raw.method === 'GET';
  if (site === undefined || site === 'same-origin' || site === 'none' || isNavigation) return;
  throw new Problem('foreign-origin', 'only the page of Studio may ask for this');
}

function cookieOf({ raw }: FastifyRequest, name: string): string {
  const pairs = (raw.headers.cookie ?? '').split(';').map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1) ?? '';
}

function isEqual(given: string, expected: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}
