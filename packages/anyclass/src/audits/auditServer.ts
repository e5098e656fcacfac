// Serves the page to label images, to this machine alone: on the loopback interface, for its own host name and origin, and with
// a token that only the printed address has.

import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { basename } from 'node:path';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { photographPreparation } from '../data/dataset/dataset.js';
import { DataError } from '../errors/dataError.js';
import { UserError } from '../errors/userError.js';
import { parsedJson } from '../files/wholeFile.js';
import { thumbnail } from '../inspect/samples.js';
import { addRoute, sendJson, sendPage, servedPage } from '../web/answers.js';
import { limitedBody } from '../web/limitedBody.js';
import { drained, listen, portOf } from '../web/listening.js';
import { Problem } from '../web/problem.js';
import { createWebApp } from '../web/webApp.js';
import type { AuditItem, AuditList } from './auditItems.js';
import { auditPage } from './auditPage.js';
import type { AuditAnswer } from './choices.js';
import { imageType } from './imageType.js';

export interface AuditServer extends AsyncDisposable {
  /** The address of the page, with its token. */
  readonly url: string;
  close(): Promise<void>;
}

export interface AuditServerOptions {
  /** The table that answers are written to. */
  readonly labels: string;
  /** Default 0: a free one. */
  readonly port?: number;
  /** Told about errors of the server itself. */
  readonly onUnexpected?: (error: unknown) => void;
}

const host = '127.0.0.1';
const milliseconds = 20_000;
const longestBody = 1 << 16;
const previewSide = 1024;

/**
 * Starts the server. Every answer is written to the table at once, completely or not at all.
 *
 * @throws UserError if the port is in use
 *
 * @example
 * const list = await auditItems({ logs, labels: 'labels.csv', images: 'audited' });
 * await using server = await serveAudits(list, { labels: 'labels.csv' });
 * console.log(server.url) // http://127.0.0.1:39021/#token=…
 */
export async function serveAudits(
  list: AuditList,
  { labels, port = 0, onUnexpected = () => {} }: AuditServerOptions,
): Promise<AuditServer> {
  const token = randomBytes(24).toString('base64url');
  const { routes, answer } = await createWebApp({
    access: {
      host,
      allowHost: [],
      allowOrigin: [],
      token,
      isPublic: () => false,
      isOpen: (path) => path === '/',
    },
    isDraining: () => false,
    onAnswered: () => {},
    onUnexpected,
  });
  const page = servedPage(auditPage(basename(labels)));
  addRoute(routes, '/', { GET: (_, reply) => sendPage(reply, page) });
  addRoute(routes, '/items', { GET: (_, reply) => sendJson(reply, shownItems(list)) });
  addRoute(routes, '/images/:id', {
    GET: ({ params }, reply) => sendImage(reply, itemOf(list, idIn(params))),
  });
  addRoute(routes, '/labels/:id', {
    async POST({ params, raw }, reply) {
      const { id, name } = itemOf(list, idIn(params));
      save(list, id, await answerIn(raw), name);
      return sendJson(reply, { id });
    },
  });
  await routes.ready();
  const server = await listen(
    (incoming, outgoing) => answer({ incoming, outgoing, arrivedAt: performance.now() }),
    { host, port, milliseconds },
  );
  const close = () => drained(server, { drain: 0, timeout: 0 });
  return {
    url: `http://${host}:${portOf(server, port)}/#token=${token}`,
    close,
    [Symbol.asyncDispose]: close,
  };
}

function save({ table }: AuditList, id: string, answer: AuditAnswer, name: string | undefined): void {
  try {
    table.set(id, answer, name);
    table.save();
  } catch (error) {
    if (error instanceof DataError) throw new Problem('bad-request', error.message);
    throw error instanceof UserError ? new Problem('unavailable', error.message) : error;
  }
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

function idIn(params: unknown): string {
  return z.object({ id: z.string() }).parse(params).id;
}

function itemOf({ items }: AuditList, id: string): AuditItem {
  const item = items.find((each) => each.id === id);
  if (!item) throw new Problem('not-found', `no audit has the id '${id}'`);
  return item;
}

/** Sends what browsers show as it is, and everything else, such as DICOM, as a picture of it. */
async function sendImage(reply: FastifyReply, { image }: AuditItem): Promise<FastifyReply> {
  if (image === undefined) throw new Problem('not-found', 'this image was not kept');
  const { media, isShown } = imageType(image);
  const bytes = await readFile(image);
  reply.header('Cache-Control', 'no-store');
  if (isShown) return reply.type(media).send(bytes);
  const picture = await thumbnail(
    async () => ({ kind: 'encoded', bytes }),
    previewSide,
    photographPreparation,
  );
  if (picture === undefined) throw new Problem('unreadable', 'this image cannot be read');
  const [, encoded = ''] = picture.split(',');
  return reply.type('image/webp').send(Buffer.from(encoded, 'base64'));
}

const auditAnswer = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('negative') }),
  z.object({ kind: z.literal('classes'), classes: z.array(z.string()).min(1) }),
  z.object({ kind: z.literal('positive') }),
  z.object({ kind: z.literal('unsure') }),
]);

async function answerIn(incoming: IncomingMessage): Promise<AuditAnswer> {
  const body = await limitedBody(incoming, longestBody);
  const parsed = auditAnswer.safeParse(parsedJson(body.toString('utf8')));
  if (!parsed.success) throw new Problem('bad-request', 'expected an answer');
  return parsed.data;
}
