// What the page asks about labels: those that are saved, queues, other labeling programs, and training again.

import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join, relative } from 'node:path';
import type { MendState, RunDifference, SavedChange, SaveRequest } from '@anyclass/studio';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { AuditItem } from '../audits/auditItems.js';
import { writeCvatTask } from '../audits/cvat.js';
import { answersIn } from '../audits/importAnswers.js';
import { labelStudioInterface, labelStudioTasks } from '../audits/labelStudio.js';
import { photographPreparation } from '../data/dataset/dataset.js';
import { datasetName, parseDataset } from '../data/datasetSpec.js';
import { readImageFile } from '../data/images/storage/imageFile.js';
import { UserError } from '../errors/userError.js';
import { writeWhole } from '../files/wholeFile.js';
import { openRun } from '../runs/runFolder.js';
import { addRoute, sendJson } from '../web/answers.js';
import { limitedBody } from '../web/limitedBody.js';
import { Problem } from '../web/problem.js';
import { backgroundWork } from './background.js';
import type { FoundRun } from './findRuns.js';
import { type Folder, idOf, realBelow, refuseUnusual } from './folders.js';
import { correctionStore, type LabelStore, labelsOf, saveLabels } from './labelStores.js';
import { sendPicture } from './lookRoutes.js';
import { modelChild } from './modelChild.js';
import { pictureOf } from './pictures.js';
import { findQueues, openQueue } from './queueFiles.js';
import { bodyOf, forUser, queryOf, runIn } from './requests.js';
import { isJudged, type Retraining, retrain } from './retrain.js';
import type { Studio } from './shared.js';

const labels = z.record(z.string(), z.union([z.literal(0), z.literal(1), z.null()]));
const saveRequest = z.object({
  name: z.string().min(1).max(4096),
  labels: labels.nullable(),
  author: z.string().max(200),
  replaces: labels.nullable(),
});
const maybeQueue = z.object({ queue: z.string().optional() });
const longestImport = 64 << 20;

export function addMendRoutes(routes: FastifyInstance, studio: Studio): void {
  const { folders, data, live } = studio;
  const differences = backgroundWork<RunDifference>(16);
  const trainings = new Set<Retraining>();

  /** The store of a run's corrections, or of a queue; and the classes that it may name. */
  const storeOf = async (query: unknown): Promise<{ store: LabelStore; classes: readonly string[] }> => {
    const { queue } = queryOf(query, maybeQueue);
    if (queue !== undefined) return openQueue(queue, folders);
    const run = runIn(query, studio);
    return { store: correctionsOf(run, folders), classes: openRun(run.path).record.classes };
  };
  const stateOf = async (query: unknown): Promise<MendState> => {
    const { store, classes } = await storeOf(query);
    return { file: store.file, classes, saved: await store.read(), author: userName() };
  };

  /** Tells which images the data of a run, or a queue, has. */
  const imagesOf = async (query: unknown): Promise<(name: string) => boolean> => {
    const { queue } = queryOf(query, maybeQueue);
    if (queue !== undefined) return (await openQueue(queue, folders)).has;
    const { rowOf } = await data.of(runIn(query, studio));
    return (name) => rowOf(name) !== undefined;
  };

  /** Saves all of them or none; returns what is saved about their images now. */
  const saveAll = async (query: unknown, requests: readonly SaveRequest[]) => {
    const { store, classes } = await storeOf(query);
    const names = new Set(requests.map(({ name }) => name));
    for (const asked of requests) checkClasses(Object.keys(asked.labels ?? {}), classes);
    const isThere = await imagesOf(query);
    for (const name of names) if (!isThere(name)) throw new UserError(`there is no image '${name}' to label`);
    return (await saveLabels(store, requests)).filter(({ name }) => names.has(name));
  };

  addRoute(routes, '/api/mend', {
    GET: async ({ query }, reply) => sendJson(reply, await forUser(() => stateOf(query))),
    POST: async ({ query, raw }, reply) => {
      const asked = await bodyOf(raw, z.array(saveRequest), longestImport);
      return sendJson(reply, { saved: await forUser(() => saveAll(query, asked)) });
    },
  });
  addRoute(routes, '/api/mend/queues', {
    GET: (_, reply) => sendJson(reply, findQueues(folders)),
  });
  addRoute(routes, '/api/mend/queue', {
    GET: async ({ query }, reply) => {
      const { queue } = queryOf(query, z.object({ queue: z.string() }));
      const { items, classes } = await forUser(() => openQueue(queue, folders));
      return sendJson(reply, { items, classes });
    },
  });
  addRoute(routes, '/api/mend/image', {
    GET: async ({ query }, reply) => {
      const asked = queryOf(
        query,
        z.object({ queue: z.string(), name: z.string(), side: z.coerce.number().int().min(16).max(1024) }),
      );
      const bytes = await forUser(async () => {
        const { imageOf } = await openQueue(asked.queue, folders);
        const file = imageOf(asked.name);
        const real = file === undefined ? undefined : realBelow(folders, file);
        if (real === undefined)
          throw new UserError(`${file ?? asked.name} is not there, or outside of the folders of Studio`);
        const image = { kind: 'encoded', bytes: await readImageFile(real) } as const;
        return pictureOf(image, photographPreparation, asked.side);
      });
      return sendPicture(reply, 'image/webp', bytes);
    },
  });
  addRoute(routes, '/api/mend/export', {
    POST: async ({ query, raw }, reply) => {
      const run = runIn(query, studio);
      const asked = await bodyOf(
        raw,
        z.object({ to: z.enum(['label-studio', 'cvat']), names: z.array(z.string()).min(1).max(20_000) }),
      );
      return sendJson(reply, await forUser(() => exported(run, asked.names, asked.to)));
    },
  });
  addRoute(routes, '/api/mend/import', {
    POST: async ({ query, raw }, reply) => {
      const { author } = queryOf(query, z.object({ author: z.string().max(200).default('') }));
      const text = (await limitedBody(raw, longestImport)).toString('utf8');
      return sendJson(reply, { changes: await forUser(() => imported(runIn(query, studio), text, author)) });
    },
  });
  addRoute(routes, '/api/mend/train', {
    POST: async ({ query }, reply) => {
      const run = runIn(query, studio);
      const training = await forUser(async () => {
        const { file } = correctionsOf(run, folders);
        if (!existsSync(file)) throw new UserError('there are no corrections yet; label an image first');
        // Checks that all of its data is below the folders.
        await data.of(run);
        return retrain(run, file);
      });
      trainings.add(training);
      void training.done.then((reason) => {
        trainings.delete(training);
        if (reason !== undefined)
          live.tell('mend-failed', { run: idOf(run.folder, training.folder), reason });
      });
      return sendJson(reply, { run: idOf(run.folder, training.folder) });
    },
  });
  addRoute(routes, '/api/mend/difference', {
    GET: ({ query }, reply) => {
      const after = runIn(query, studio);
      const before = runIn({ run: queryOf(query, z.object({ before: z.string() })).before }, studio);
      if (![after, before].every(({ path }) => isJudged(path)))
        throw new Problem('unavailable', 'both runs must be finished');
      const work = async () => {
        const child = modelChild();
        try {
          const task = { kind: 'difference', before: before.path, after: after.path } as const;
          return (await child.ask(task)).difference;
        } finally {
          child.close();
        }
      };
      return sendJson(reply, differences.of(`${before.id}\n${after.id}`, work));
    },
  });

  async function exported(run: FoundRun, names: readonly string[], to: 'label-studio' | 'cvat') {
    const { dataset, rowOf } = await data.of(run);
    const { path: pathOf } = dataset.images;
    if (!pathOf) throw new UserError(`the images of ${dataset.name} are no files; other programs need files`);
    const items = names.map((name): AuditItem => {
      const row = rowOf(name);
      const image = row === undefined ? undefined : realBelow(folders, pathOf(row));
      if (image === undefined)
        throw new UserError(`${name} is not there, or outside of the folders of Studio`);
      refuseUnusual(folders, image);
      return { id: name, name, image, wasDrawn: false, isAlarm: false };
    });
    const base = correctionsOf(run, folders).file.replace(/\.csv$/, '');
    const { classes } = dataset;
    if (to === 'cvat') {
      const folder = `${base}-cvat`;
      const count = writeCvatTask(items, classes, folder);
      return { count, file: folder };
    }
    writeWhole(`${base}-tasks.json`, labelStudioTasks(items, { images: run.folder.path }));
    writeWhole(`${base}-tasks.xml`, labelStudioInterface(classes));
    return { count: items.length, file: `${base}-tasks.json` };
  }

  async function imported(run: FoundRun, text: string, author: string): Promise<SavedChange[]> {
    const answers = answersIn(text, 'the file');
    const { classes } = openRun(run.path).record;
    const { rowOf } = await data.of(run);
    const store = correctionsOf(run, folders);
    const before = new Map((await store.read()).map((saved) => [saved.name, saved]));
    const requests = Array.from(answers, ([name, answer]) => {
      if (rowOf(name) === undefined)
        throw new UserError(`the file: the data of this run has no image '${name}'`);
      if (answer.kind === 'classes') checkClasses(answer.classes, classes);
      return { name, labels: labelsOf(answer, classes), author, replaces: before.get(name)?.labels ?? null };
    });
    const saved = await saveLabels(store, requests);
    return saved.flatMap((now) =>
      answers.has(now.name) ? [{ name: now.name, before: before.get(now.name) ?? null, now }] : [],
    );
  }
}

/**
 * The corrections of a run's data: a file in the folder `corrections` of Studio's folder, the same for all runs on this data. Corrections
 * that the run was trained with are continued there.
 */
function correctionsOf(run: FoundRun, folders: readonly Folder[]): LabelStore {
  const { data } = openRun(run.path).record.configuration;
  const folder = join(run.folder.path, 'corrections');
  const given = data.corrections ?? undefined;
  if (given !== undefined) refuseUnusual(folders, given);
  const isOurs = given !== undefined && /^[^/\\]+\.csv$/.test(relative(folder, given));
  const name = datasetName(parseDataset(data.dataset)).replaceAll(/[^\w.-]+/g, '_');
  const hash = createHash('sha256').update(
    JSON.stringify([data.dataset, data.imageFolder, data.keep, data.drop]),
  );
  const file = isOurs ? given : join(folder, `${name}-${hash.digest('hex').slice(0, 6)}.csv`);
  // All that is written for them begins with their name.
  for (const ending of ['.csv', '.csv.lock', '.csv.log', '-splits', '-cvat', '-tasks.json', '-tasks.xml'])
    refuseUnusual([run.folder], file.replace(/\.csv$/, ending));
  return correctionStore(file, given);
}

function checkClasses(named: readonly string[], classes: readonly string[]): void {
  const unknown = named.find((name) => !classes.includes(name));
  if (unknown !== undefined) throw new UserError(`'${unknown}' is no class; expected ${classes.join(', ')}`);
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return '';
  }
}
