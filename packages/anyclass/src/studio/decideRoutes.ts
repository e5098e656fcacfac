// What Decide asks: scores, saved decisions, pictures of rows, and test metrics, which are noted.

import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { openRun } from '../runs/runFolder.js';
import { addRoute, sendJson } from '../web/answers.js';
import { bodyOf, forUser, queryOf, runIn } from './requests.js';
import { decideSetup, saveDecision, testMetrics } from './savedDecisions.js';
import { scoreBytes } from './scoreTables.js';
import type { Studio } from './shared.js';
import { noteTestSeen, refuseSealed } from './testSeals.js';

const shownSplit = z.enum(['validation', 'test']);

const rowList = z
  .string()
  .transform((text) => text.split(',').map(Number))
  .pipe(z.array(z.int().min(0)).max(500));
const saved = z.object({
  name: z.string().regex(/^[\w.-]{1,80}$/, 'has letters, digits, dots, dashes and underscores only'),
  falseAlarms: z.number().gt(0).lt(1),
  missed: z.number().gt(0).lt(1).nullable(),
});

/** What is noted when a view opens test. */
const shownIn = { compare: 'a comparison of runs', look: 'the images of test' } as const;
const opened = z.object({
  runs: z.array(z.string()).min(1).max(100),
  view: z.enum(['compare', 'look']),
});

export function addDecideRoutes(routes: FastifyInstance, studio: Studio): void {
  const { tables, pictures } = studio;
  addRoute(routes, '/api/scores', {
    GET: async ({ query }, reply) => {
      const run = runIn(query, studio);
      const { split } = queryOf(query, z.object({ split: shownSplit.default('validation') }));
      refuseSealed(run, split);
      const bytes = await forUser(async () =>
        scoreBytes(await tables.read(run, split), openRun(run.path).record.classImportance),
      );
      return reply.type('application/octet-stream').send(bytes);
    },
  });
  addRoute(routes, '/api/rows', {
    GET: async ({ query }, reply) => {
      const run = runIn(query, studio);
      const { split, rows } = queryOf(
        query,
        z.object({ split: shownSplit.default('validation'), rows: rowList }),
      );
      refuseSealed(run, split);
      const { names } = await forUser(() => tables.read(run, split));
      return sendJson(reply, { names: rows.map((row) => names[row] ?? '') });
    },
  });
  addRoute(routes, '/api/picture', {
    GET: async ({ query }, reply) => {
      const run = runIn(query, studio);
      const asked = z.object({
        split: shownSplit.default('validation'),
        row: z.coerce.number().int().min(0),
        side: z.coerce.number().int().min(16).max(1024).default(160),
      });
      const { split, row, side } = queryOf(query, asked);
      refuseSealed(run, split);
      const picture = await forUser(async () => {
        const { names } = await tables.read(run, split);
        return pictures.thumbnail(run, names[row] ?? '', side);
      });
      return reply.header('Cache-Control', 'private, max-age=3600').type('image/webp').send(picture);
    },
  });
  addRoute(routes, '/api/decisions', {
    GET: async ({ query }, reply) =>
      sendJson(reply, await forUser(() => decideSetup(runIn(query, studio), tables))),
    POST: async ({ query, raw }, reply) => {
      const run = runIn(query, studio);
      const asked = await bodyOf(raw, saved);
      const file = await forUser(() => saveDecision(run, asked));
      return sendJson(reply, { file, setup: await forUser(() => decideSetup(run, tables)) });
    },
  });
  addRoute(routes, '/api/test/open', {
    POST: async ({ raw }, reply) => {
      const { runs, view } = await bodyOf(raw, opened);
      const found = runs.map((run) => runIn({ run }, studio));
      await forUser(() => {
        for (const { path } of found) noteTestSeen(path, shownIn[view]);
      });
      return sendJson(reply, { runs });
    },
  });
  addRoute(routes, '/api/decisions/test', {
    POST: async ({ query, raw }, reply) => {
      const run = runIn(query, studio);
      const { name } = await bodyOf(raw, z.object({ name: z.string() }));
      return sendJson(reply, await forUser(() => testMetrics(run, name, tables)));
    },
  });
}
