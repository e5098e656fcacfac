// What the page asks about the images of a run.

import type { LookAlikes } from '@anyclass/studio';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { z } from 'zod';
import { addRoute, sendJson } from '../web/answers.js';
import { backgroundWork } from './background.js';
import { lookTable } from './lookTable.js';
import { modelChild } from './modelChild.js';
import { forUser, queryOf, runIn } from './requests.js';
import type { RunData } from './runData.js';
import type { Studio } from './shared.js';
import { suspectsOf, unknownAt } from './suspects.js';
import { refuseSealed } from './testSeals.js';

const split = z.enum(['validation', 'test', 'decision']).default('validation');
const name = z.string().min(1).max(4096);
const side = z.coerce.number().int().min(16).max(1024).default(160);

export function addLookRoutes(routes: FastifyInstance, studio: Studio): void {
  const { folders, data, pictures, tables, embeddings } = studio;
  const alike = backgroundWork<LookAlikes>(8);
  addRoute(routes, '/api/look/table', {
    GET: async ({ query }, reply) => {
      const run = runIn(query, studio);
      const asked = queryOf(query, z.object({ split }));
      refuseSealed(run, asked.split);
      const bytes = await forUser(() => lookTable(run, asked.split, tables));
      // Its images are asked for next, as soon as the page has drawn the grid.
      void data.of(run).catch(() => {});
      return reply.type('application/octet-stream').send(bytes);
    },
  });
  addRoute(routes, '/api/look/image', {
    GET: async ({ query }, reply) => {
      const asked = queryOf(query, z.object({ name, side }));
      const run = runIn(query, studio);
      return sendPicture(
        reply,
        'image/webp',
        await forUser(() => pictures.thumbnail(run, asked.name, asked.side)),
      );
    },
  });
  addRoute(routes, '/api/look/heat', {
    GET: async ({ query }, reply) => {
      const asked = queryOf(query, z.object({ name, target: z.string().min(1).max(4096) }));
      const run = runIn(query, studio);
      const { isOfTest } = await forUser(() => data.of(run));
      // Where the model sees something is what it says about an image.
      if (isOfTest(asked.name)) refuseSealed(run, 'test');
      return sendPicture(
        reply,
        'image/png',
        await forUser(() => pictures.heat(run, asked.name, asked.target)),
      );
    },
  });
  addRoute(routes, '/api/look/suspects', {
    GET: async ({ query }, reply) => {
      const run = runIn(query, studio);
      const found = await forUser(async () => suspectsOf(run.path, await data.of(run), folders));
      return sendJson(reply, found);
    },
  });
  addRoute(routes, '/api/look/map', {
    GET: ({ query }, reply) => sendJson(reply, embeddings.map(runIn(query, studio))),
  });
  addRoute(routes, '/api/look/alike', {
    GET: ({ query }, reply) => {
      const run = runIn(query, studio);
      const work = async () => {
        const child = modelChild();
        try {
          const opened = await data.of(run);
          const { sets } = await child.ask({ kind: 'lookAlikes', model: run.path, folders });
          return { sets: shownSets(sets, opened) };
        } finally {
          child.close();
        }
      };
      return sendJson(reply, alike.of(run.id, work));
    },
  });
}

/** A browser keeps pictures for a while, so that scrolling back asks for nothing. */
export function sendPicture(reply: FastifyReply, type: string, bytes: Buffer): FastifyReply {
  return reply
    .header('Cache-Control', 'private, max-age=600')
    .header('Content-Security-Policy', "default-src 'none'; sandbox")
    .type(type)
    .send(bytes);
}

/** Sets that are in several splits first, then those with different labels. */
function shownSets(sets: readonly (readonly number[])[], { dataset }: RunData): LookAlikes['sets'] {
  const { names, labels, classes, splits } = dataset;
  const splitOf = new Map<number, string>();
  for (const [each, rows] of Object.entries(splits)) for (const row of rows) splitOf.set(row, each);
  const shown = sets.map((rows) =>
    rows.map((row) => ({
      name: names.at(row),
      split: splitOf.get(row) ?? '',
      labels: classes.filter((_, j) => labels.isPresent(row, j)),
      unknown: unknownAt(dataset, row),
    })),
  );
  const concern = (set: (typeof shown)[number]) =>
    2 * Number(new Set(set.map((each) => each.split)).size > 1) +
    Number(new Set(set.map((each) => each.labels.join('\n'))).size > 1);
  return shown.sort((a, b) => concern(b) - concern(a));
}
