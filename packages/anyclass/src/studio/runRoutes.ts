// What the page asks about runs, and what it may do to them.

import { readFile } from 'node:fs/promises';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { runPaths } from '../runs/runFolder.js';
import { addRoute, sendJson } from '../web/answers.js';
import { Problem } from '../web/problem.js';
import { realBelow } from './folders.js';
import { forUser, listedRunIn, queryOf, runIn } from './requests.js';
import { putAway, stopRun, takeBack } from './runActions.js';
import { runDetails } from './runDetails.js';
import { readRunLog } from './runLog.js';
import type { Studio } from './shared.js';
import { noteTestSeen } from './testSeals.js';

/** A report is a file of the run, which may come from anywhere: its scripts run apart from the page and its cookie. */
const reportPolicy =
  "sandbox allow-scripts allow-downloads; default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'";

export function addRunRoutes(routes: FastifyInstance, studio: Studio): void {
  const { index, live, folders } = studio;
  addRoute(routes, '/api/live', { GET: (_, reply) => live.subscribe(reply) });
  addRoute(routes, '/api/runs', { GET: (_, reply) => sendJson(reply, index.list()) });
  addRoute(routes, '/api/run', {
    GET: async ({ query }, reply) => {
      const run = runIn(query, studio);
      const row = index.row(run.id);
      if (!row) throw new Problem('not-found', `${run.id} was deleted`);
      return sendJson(reply, await forUser(() => runDetails(run.path, row)));
    },
  });
  addRoute(routes, '/api/run/log', {
    GET: async ({ query }, reply) => {
      const { from } = queryOf(query, z.object({ from: z.coerce.number().int().min(0).default(0) }));
      const path = fileOf(runIn(query, studio).path, 'events');
      return sendJson(reply, await forUser(() => readRunLog(path, from)));
    },
  });
  addRoute(routes, '/api/run/report', {
    GET: async ({ query }, reply) => {
      const run = runIn(query, studio);
      const path = fileOf(run.path, 'report');
      // It shows test metrics.
      await forUser(() => noteTestSeen(run.path, 'the report'));
      const report = await forUser(() => readFile(path));
      return reply
        .header('Content-Security-Policy', reportPolicy)
        .type('text/html; charset=utf-8')
        .send(report);
    },
  });
  const actions = {
    stop: stopRun,
    archive: (run: Parameters<typeof putAway>[0]) => putAway(run, 'archive'),
    restore: takeBack,
    delete: (run: Parameters<typeof putAway>[0]) => putAway(run, 'trash'),
  };
  for (const [name, act] of Object.entries(actions)) {
    addRoute(routes, `/api/run/${name}`, {
      POST: async ({ query }, reply) => {
        const run = listedRunIn(query, index);
        const place = await forUser(() => act(run));
        await live.refresh();
        return sendJson(reply, { run: run.id, ...(typeof place === 'string' && { place }) });
      },
    });
  }

  function fileOf(path: string, kind: 'events' | 'report'): string {
    const file = realBelow(folders, runPaths(path)[kind]);
    if (file === undefined)
      throw new Problem('not-found', `the run has no ${kind === 'events' ? 'log' : 'report'}`);
    return file;
  }
}
