// Serves the page to label images, to this machine alone: on the loopback interface, for its own host name and origin, and with
// a token that only the printed address has.

import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { basename } from 'node:path';
import { errorCode } from '@anyclass/files';
import { z } from 'zod';
import { photographPreparation } from '../data/dataset/dataset.js';
import { DataError } from '../errors/dataError.js';
import { reasonOf } from '../errors/reasonOf.js';
import { UserError } from '../errors/userError.js';
import { parsedJson } from '../files/wholeFile.js';
import { thumbnail } from '../inspect/samples.js';
import type { AuditItem, AuditList } from './auditItems.js';
import { auditPage, auditPolicy } from './auditPage.js';
import { imageType } from './imageType.js';

export interface AuditServer extends AsyncDisposable {
  /** The address of the page, with its token. */
  readonly url: string;
  close(): Promise<void>;
}

/** An answer that refuses a request. */
class Refusal extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

const longestBody = 1 << 16;
const previewSide = 1024;

const labeled = z.object({
  id: z.string(),
  answer: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('negative') }),
    z.object({ kind: z.literal('classes'), classes: z.array(z.string()).min(1) }),
    z.object({ kind: z.literal('positive') }),
    z.object({ kind: z.literal('unsure') }),
  ]),
});

/**
 * Starts the server. Every answer is written to the table at once, completely or not at all.
 *
 * @throws UserError if the port is in use
 *
 * @example
 * await using server = await serveAudits(await auditItems({ logs, labels: 'labels.csv', images: 'audited' }), { labels: 'labels.csv' });
 * console.log(server.url) // http://127.0.0.1:39021/#token=…
 */
export async function serveAudits(
  list: AuditList,
  { labels, port = 0 }: { readonly labels: string; readonly port?: number },
): Promise<AuditServer> {
  const token = randomBytes(24).toString('base64url');
  const server = createServer({ requestTimeout: 20_000, headersTimeout: 10_000 }, (incoming, outgoing) => {
    answer(list, { labels, token, hosts: hostsOf(server.address()) }, incoming, outgoing).catch(
      (error: unknown) => refuse(outgoing, error),
    );
  });
  await new Promise<void>((done, fail) => {
    server.once('error', (error) =>
      fail(
        new UserError(
          errorCode(error) === 'EADDRINUSE'
            ? `Cannot listen on port ${port}: another program uses it; choose another one`
            : `Cannot listen on port ${port}: ${reasonOf(error)}`,
        ),
      ),
    );
    server.listen({ host: '127.0.0.1', port }, done);
  });
  const close = async () => {
    server.closeAllConnections();
    await new Promise<void>((done) => {
      server.close(() => done());
    });
  };
  const [host] = hostsOf(server.address());
  return { url: `http://${host}/#token=${token}`, close, [Symbol.asyncDispose]: close };
}

interface Access {
  readonly labels: string;
  readonly token: string;
  readonly hosts: readonly string[];
}

async function answer(
  list: AuditList,
  access: Access,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  checkPlace(access, incoming);
  const { pathname, searchParams } = new URL(incoming.url ?? '/', 'http://local');
  if (incoming.method === 'GET' && pathname === '/') {
    return send(outgoing, 'text/html; charset=utf-8', auditPage(basename(access.labels)));
  }
  checkToken(access, incoming);
  if (incoming.method === 'GET' && pathname === '/items') return sendJson(outgoing, shownItems(list));
  if (incoming.method === 'GET' && pathname === '/image')
    return sendImage(outgoing, itemOf(list, searchParams.get('id') ?? ''));
  if (incoming.method === 'POST' && pathname === '/label') {
    const { id, answer: given } = await bodyOf(incoming);
    list.table.set(id, given, itemOf(list, id).name);
    list.table.save();
    return sendJson(outgoing, { id });
  }
  throw new Refusal(404, 'no such page');
}

/** A page whose name is rebound to this machine, or that lives elsewhere, gets nothing. */
function checkPlace({ hosts }: Access, { headers }: IncomingMessage): void {
  const { host = '', origin } = headers;
  if (!hosts.includes(host.toLowerCase())) throw new Refusal(403, `host '${host}' is not allowed`);
  if (origin !== undefined && origin !== `http://${host}`)
    throw new Refusal(403, `pages from ${origin} may not label`);
}

function checkToken({ token }: Access, { headers }: IncomingMessage): void {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  if (timingSafeEqual(digest(`Bearer ${token}`), digest(headers.authorization ?? ''))) return;
  throw new Refusal(401, 'the token of the address is missing or old');
}

function hostsOf(address: ReturnType<ReturnType<typeof createServer>['address']>): string[] {
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return [`127.0.0.1:${port}`, `localhost:${port}`];
}

function shownItems({ items, classes, table }: AuditList) {
  return {
    classes,
    items: items.map(({ id, name, time, model, group, image }) => ({
      id,
      ...(name !== undefined && { name }),
      ...(time !== undefined && { time }),
      ...(model !== undefined && { model }),
      ...(group !== undefined && { group }),
      hasImage: image !== undefined,
      answer: table.answerOf(id) ?? null,
    })),
  };
}

function itemOf({ items }: AuditList, id: string): AuditItem {
  const item = items.find((each) => each.id === id);
  if (!item) throw new Refusal(404, `no audit has the id '${id}'`);
  return item;
}

/** Sends what browsers show as it is, and everything else, such as DICOM, as a picture of it. */
async function sendImage(outgoing: ServerResponse, { image }: AuditItem): Promise<void> {
  if (image === undefined) throw new Refusal(404, 'this image was not kept');
  const { media, isShown } = imageType(image);
  const bytes = await readFile(image);
  if (isShown) return send(outgoing, media, bytes);
  const picture = await thumbnail(
    async () => ({ kind: 'encoded', bytes }),
    previewSide,
    photographPreparation,
  );
  if (picture === undefined) throw new Refusal(422, 'this image cannot be read');
  const [, encoded = ''] = picture.split(',');
  return send(outgoing, 'image/webp', Buffer.from(encoded, 'base64'));
}

async function bodyOf(incoming: IncomingMessage): Promise<z.output<typeof labeled>> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of incoming) {
    if (!Buffer.isBuffer(part)) throw new Refusal(400, 'expected JSON');
    length += part.length;
    if (length > longestBody) throw new Refusal(413, 'the answer is too long');
    parts.push(part);
  }
  const parsed = labeled.safeParse(parsedJson(Buffer.concat(parts).toString('utf8')));
  if (!parsed.success) throw new Refusal(400, 'expected an id and an answer');
  return parsed.data;
}

function sendJson(outgoing: ServerResponse, value: unknown): void {
  send(outgoing, 'application/json', JSON.stringify(value));
}

function send(outgoing: ServerResponse, type: string, body: string | Uint8Array, status = 200): void {
  outgoing.writeHead(status, {
    'Content-Type': type,
    'Content-Security-Policy': auditPolicy,
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
  });
  outgoing.end(body);
}

function refuse(outgoing: ServerResponse, error: unknown): void {
  if (outgoing.headersSent) {
    outgoing.destroy();
    return;
  }
  const status = error instanceof Refusal ? error.status : error instanceof DataError ? 400 : 500;
  send(outgoing, 'application/json', JSON.stringify({ problem: reasonOf(error) }), status);
}
