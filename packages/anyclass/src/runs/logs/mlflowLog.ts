// MLflow: parameters, metrics by step, and the finished run's files. A server that is slow, gone or wrong costs the run nothing but a
// note: requests wait in a short queue, one after another, and are given up after a few failures.

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { messageOf } from '../../errors/reasonOf.js';
import type { RunEvent } from '../../events/runEvent.js';
import { callMlflow, MlflowError, type MlflowServer, uploadArtifact } from './mlflowClient.js';
import { scalarsOf } from './scalars.js';
import { settingsOf } from './settings.js';

/** A log with work in the background. */
export interface BackgroundLog {
  listen(event: RunEvent): void;
  /** Waits until everything is written, or a limit has passed. */
  close(): Promise<void>;
}

export interface MlflowLogOptions {
  readonly note: (text: string) => void;
  /** Milliseconds before a failed request is tried again; it doubles with each try. Default 1000. */
  readonly pause?: number;
  /** Milliseconds that the end of a run waits for the server. Default 60,000. */
  readonly limit?: number;
}

/** Remembers which run of the server belongs to this folder, so that a resumed run continues it. */
const memory = 'mlflow.json';
const mostWaiting = 500;
const tries = 3;
/** The run's files, in the order in which they are uploaded; the largest last. */
const artifacts = ['config.json', 'summary.json', 'metrics.jsonl', 'report.html', 'model.safetensors'];

/**
 * Returns a log that writes to an MLflow server.
 *
 * @example
 * const log = mlflowLog('runs/sewer', server, configuration, { note: console.error });
 */
export function mlflowLog(
  folder: string,
  server: MlflowServer,
  configuration: object,
  { note, pause = 1000, limit = 60_000 }: MlflowLogOptions,
): BackgroundLog {
  let waiting = 0;
  let isGone = false;
  let run: { readonly id: string; readonly artifactUri: string } | undefined;
  let last: Promise<void> = Promise.resolve();
  const next = scalarsOf();

  const giveUp = (error: unknown) => {
    if (isGone) return;
    isGone = true;
    note(`MLflow at ${server.address}: ${messageOf(error)}; no more is logged there, and the run continues`);
  };
  const later = (work: () => Promise<unknown>) => {
    if (isGone) return;
    waiting++;
    last = last
      .then(() => (isGone ? undefined : insisting(work, pause)))
      .then(() => undefined, giveUp)
      .finally(() => {
        waiting--;
      });
  };
  const call = (name: string, values: Readonly<Record<string, unknown>>) =>
    callMlflow(server, 'POST', name, { run_id: run!.id, ...values });

  later(async () => {
    run = await openedRun(folder, server);
  });
  later(async () => {
    for (const params of parts(parameters(configuration), 100)) await call('runs/log-batch', { params });
  });

  return {
    listen(event) {
      const scalars = next(event);
      if (scalars && waiting < mostWaiting) {
        const timestamp = Date.now();
        const metrics = Object.entries(scalars.values).map(([key, value]) => ({
          key,
          value,
          timestamp,
          step: scalars.step,
        }));
        later(() => call('runs/log-batch', { metrics }));
      }
      if (event.type === 'finished') {
        for (const name of artifacts) {
          const path = join(folder, name);
          if (existsSync(path)) later(() => uploadArtifact(server, run!.artifactUri, { path, name }));
        }
      }
      const status = endings[event.type];
      if (status !== undefined) later(() => call('runs/update', { status, end_time: Date.now() }));
    },
    async close() {
      let timer: NodeJS.Timeout | undefined;
      const tooLate = new Promise<void>((done) => {
        timer = setTimeout(() => {
          giveUp(new Error('it did not take everything in time'));
          done();
        }, limit);
      });
      await Promise.race([last, tooLate]);
      clearTimeout(timer);
    },
  };
}

const endings: Partial<Record<RunEvent['type'], string>> = {
  finished: 'FINISHED',
  failed: 'FAILED',
  interrupted: 'KILLED',
};

/** The run that belongs to the folder, open again if it had ended; a new one if there is none. */
async function openedRun(folder: string, server: MlflowServer) {
  const path = join(folder, memory);
  const known = existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : undefined;
  if (known?.address === server.address && typeof known.runId === 'string') {
    const answer = await callMlflow(server, 'POST', 'runs/update', {
      run_id: known.runId,
      status: 'RUNNING',
    });
    return { id: String(known.runId), artifactUri: String(field(answer, 'run_info', 'artifact_uri')) };
  }
  const experiment_id = await experimentId(server);
  const name = basename(resolve(folder));
  const answer = await callMlflow(server, 'POST', 'runs/create', {
    experiment_id,
    run_name: name,
    start_time: Date.now(),
    tags: [
      { key: 'mlflow.runName', value: name },
      { key: 'mlflow.source.name', value: 'anyclass' },
    ],
  });
  const id = String(field(answer, 'run', 'info', 'run_id'));
  writeFileSync(path, `${JSON.stringify({ address: server.address, runId: id })}\n`);
  return { id, artifactUri: String(field(answer, 'run', 'info', 'artifact_uri')) };
}

async function experimentId(server: MlflowServer): Promise<string> {
  const { experiment } = server;
  try {
    const answer = await callMlflow(server, 'GET', 'experiments/get-by-name', {
      experiment_name: experiment,
    });
    return String(field(answer, 'experiment', 'experiment_id'));
  } catch (error) {
    if (!(error instanceof MlflowError && error.code === 'RESOURCE_DOES_NOT_EXIST')) throw error;
    const answer = await callMlflow(server, 'POST', 'experiments/create', { name: experiment });
    return String(field(answer, 'experiment_id'));
  }
}

function field(value: unknown, ...path: readonly string[]): unknown {
  const found = path.reduce<unknown>(
    (inner, name) => (typeof inner === 'object' && inner !== null ? Reflect.get(inner, name) : undefined),
    value,
  );
  if (found === undefined) throw new Error(`the answer has no ${path.join('.')}`);
  return found;
}

/** Tries again after failures that may pass: no connection, or a server in trouble. */
async function insisting(work: () => Promise<unknown>, pause: number): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await work();
      return;
    } catch (error) {
      if ((error instanceof MlflowError && error.status < 500) || attempt === tries) throw error;
      await new Promise((done) => setTimeout(done, pause * 2 ** (attempt - 1)).unref());
    }
  }
}

/** MLflow takes 6,000 characters for each. */
function parameters(configuration: object): { readonly key: string; readonly value: string }[] {
  return settingsOf(configuration).map(([key, value]) => ({ key, value: String(value).slice(0, 6000) }));
}

function parts<Item>(list: readonly Item[], size: number): Item[][] {
  return Array.from({ length: Math.ceil(list.length / size) }, (_, i) =>
    list.slice(i * size, (i + 1) * size),
  );
}
