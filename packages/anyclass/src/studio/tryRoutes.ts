// An image that someone drops: what the model says about it, where it sees it, and what it knows that is like it.

import { randomUUID } from 'node:crypto';
import type { Background, Neighbors, Tried } from '@anyclass/studio';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { takesFeatures } from '../data/dataset/inputs.js';
import { UserError } from '../errors/userError.js';
import { readModelRecord } from '../inference/modelRecord.js';
import { addRoute, sendJson } from '../web/answers.js';
import { limitedBody } from '../web/limitedBody.js';
import { Problem } from '../web/problem.js';
import { bounded } from './bounded.js';
import { neighborsOf } from './embeddings.js';
import type { FoundRun } from './findRuns.js';
import { pictureOf } from './pictures.js';
import { forUser, queryOf, runIn } from './requests.js';
import type { Studio } from './shared.js';

const largest = 64 << 20;
const side = 480;
const mostNeighbors = 12;

export function addTryRoutes(routes: FastifyInstance, studio: Studio): void {
  const { child, embeddings } = studio;
  /** Images that were tried last, of which neighbors may be asked. */
  const tried = bounded<{ readonly run: string; readonly bytes: Buffer; embedding?: Promise<Float32Array> }>(
    2 * largest,
    ({ bytes }) => bytes.length,
  );
  addRoute(routes, '/api/try', {
    POST: async ({ query, raw }, reply) => {
      const run = runIn(query, studio);
      const bytes = await limitedBody(raw, largest);
      if (bytes.length === 0) throw new Problem('bad-request', 'expected the bytes of an image');
      const answer = await forUser(() => explained(run, bytes));
      tried.set(answer.id, { run: run.id, bytes });
      return sendJson(reply, answer);
    },
  });
  addRoute(routes, '/api/try/neighbors', {
    GET: async ({ query }, reply) => {
      const run = runIn(query, studio);
      const { id } = queryOf(query, z.object({ id: z.string() }));
      const entry = tried.get(id);
      if (entry?.run !== run.id)
        throw new Problem('not-found', 'this image is not in memory any more; drop it again');
      const known = embeddings.of(run);
      if (known.state !== 'ready') return sendJson(reply, known);
      const { result } = known;
      const found = await forUser(async (): Promise<Background<Neighbors>> => {
        entry.embedding ??= child
          .ask({ kind: 'embed', model: run.path, image: { kind: 'encoded', bytes: entry.bytes } })
          .then(({ values }) => values);
        return { state: 'ready', result: neighborsOf(result, await entry.embedding, mostNeighbors) };
      });
      return sendJson(reply, found);
    },
  });

  async function explained(run: FoundRun, bytes: Buffer): Promise<Tried> {
    const { description } = readModelRecord(run.path);
    if (takesFeatures(description))
      throw new UserError(`${run.id} takes features; drop an image on a run of images`);
    const image = { kind: 'encoded', bytes } as const;
    const picture = await pictureOf(image, description, side);
    const { prediction, maps } = await child.ask({ kind: 'explain', model: run.path, image, side });
    const { labels, outcome, odd, presence, probabilities, thresholds } = prediction;
    return {
      id: randomUUID(),
      image: `data:image/webp;base64,${picture.toString('base64')}`,
      labels,
      outcome,
      odd: odd ?? null,
      presence: { probability: presence.probability, gate: presence.gate },
      classes: Object.entries(probabilities)
        .map(([name, probability]) => ({ name, probability, threshold: thresholds[name] ?? null }))
        .sort((a, b) => b.probability - a.probability),
      maps: maps.map(({ target, probability, method, picture }) => ({
        target,
        probability,
        method,
        picture: `data:image/png;base64,${Buffer.from(picture).toString('base64')}`,
      })),
    };
  }
}
