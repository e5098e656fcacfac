// The page: static files that @anyclass/studio ships, held in memory. Nothing else is sent for these addresses.

import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, extname, join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { UserError } from '../errors/userError.js';
import { addRoute } from '../web/answers.js';
import { Problem } from '../web/problem.js';

/**
 * What the page may do: run its own scripts, and ask this server. The kit's charts and bars have style attributes; sheets and
 * scripts may only come from files.
 */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "worker-src 'self'",
  "style-src 'self'",
  "style-src-attr 'unsafe-inline'",
  "img-src 'self' blob: data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
};

/** Adds the page at / and its files at /page. */
export function addPage(routes: FastifyInstance): void {
  const files = pageFiles();
  const page = files.get('index.html');
  if (page === undefined) throw new UserError('@anyclass/studio has no page; run npm run setup');
  addRoute(routes, '/', {
    GET: (_, reply) =>
      reply
        .header('Content-Security-Policy', policy)
        .header('Referrer-Policy', 'no-referrer')
        .type(types['.html']!)
        .send(page),
  });
  addRoute(routes, '/page/:file', {
    GET(request, reply) {
      const name = fileIn(request.params);
      const bytes = files.get(name);
      if (bytes === undefined) throw new Problem('not-found', `the page has no file '${name}'`);
      // Names have the hash of their contents. A worker's own policy is that of its file.
      return reply
        .header('Content-Security-Policy', policy)
        .header('Cache-Control', 'max-age=31536000, immutable')
        .type(types[extname(name)] ?? 'application/octet-stream')
        .send(bytes);
    },
  });
}

function pageFiles(): ReadonlyMap<string, Buffer> {
  const folder = dirname(createRequire(import.meta.url).resolve('@anyclass/studio/page/index.html'));
  return new Map(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name))]));
}

function fileIn(params: unknown): string {
  return typeof params === 'object' && params !== null && 'file' in params ? String(params.file) : '';
}
