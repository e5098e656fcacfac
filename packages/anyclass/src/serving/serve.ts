// Serves models over HTTP.

import type { Server as HttpServer } from 'node:http';
import { basename, dirname, resolve } from 'node:path';
import { UsageError } from '../errors/usageError.js';
import { UserError } from '../errors/userError.js';
import { drained, listen, portOf, shownHost } from '../web/listening.js';
import type { ModelSummary } from './api/schemas.js';
import { createJsonRequests } from './bodies/jsonRequests.js';
import { createApp } from './http/app.js';
import { modelSummary } from './http/modelSummaries.js';
import { openModels, openShadows } from './openModels.js';
import { createAudits } from './operation/audits.js';
import { appendLines, createLog } from './operation/log.js';
import { createMetrics } from './operation/metrics.js';
import {
  bufferBytes,
  requestLimits,
  type ServeOptions,
  type ServeSettings,
  serveOptions,
} from './operation/options.js';
import { checkPredictionLog } from './operation/predictionLog.js';
import { recordUnexpected, type ServerState } from './operation/serverState.js';
import { createAdmission } from './requests/admission.js';
import { createUploads } from './requests/uploads.js';

/** A running server. */
export interface Server extends AsyncDisposable {
  /** For example, `http://127.0.0.1:8080`. */
  readonly url: string;
  readonly port: number;
  /** Describes the models being served. */
  models(): ModelSummary[];
  /** Reopens every model, as when its file changes; the old versions answer until the new ones work. */
  reload(): Promise<void>;
  /**
   * Until disposed, errors that belong to no request are logged and counted, and do not end the process. For
   * programs that only serve: it concerns the errors of the whole process.
   */
  surviveErrors(): Disposable;
  /** Answers open requests and those that arrive during the drain time, then stops. */
  close(): Promise<void>;
}

/**
 * Serves models: runs, their model.safetensors or exported .onnx files. `NAME=PATH` names a model; by default
 * it has the name of its folder or file.
 *
 * @throws UserError if a model cannot be opened or the address is in use
 *
 * @example
 * await using server = await serve(['runs/sewer'], { port: 0 });
 * await fetch(`${server.url}/v1/predict`, { method: 'POST', body: photo });
 */
export async function serve(models: readonly string[], options: ServeOptions = {}): Promise<Server> {
  const { token, decision, log: logLine, ...given } = options;
  const settings = serveOptions.parse(given);
  const paths = namedModels(models);
  if (token === '') throw new UserError('the token is empty; omit it to serve without one');
  if (settings.logPredictions !== undefined) checkPredictionLog(settings.logPredictions);
  checkAudits(settings);
  const standardError = logLine ? undefined : appendLines(2, () => {});
  const log = createLog(settings.logLevel, logLine ?? ((line) => standardError?.write(line)));
  const admission = createAdmission({ images: settings.queue, bytes: bufferBytes(settings) });
  const metrics = createMetrics(admission);
  const opening = { settings, decision, metrics, log };
  const served = await openModels(paths, opening);
  const shadows = await openShadows(served, opening).catch(async (error: unknown) => {
    await Promise.all(Array.from(served.values(), (model) => model.close()));
    throw error;
  });
  const predictions =
    settings.logPredictions === undefined
      ? undefined
      : appendLines(settings.logPredictions, (reason) =>
          log.error('predictions cannot be logged', { file: settings.logPredictions, reason }),
        );
  const limits = requestLimits(settings);
  const state: ServerState = {
    settings,
    limits,
    token,
    models: served,
    admission,
    uploads: createUploads(settings),
    metrics,
    log,
    predictions,
    audits:
      settings.audit === undefined ? undefined : createAudits(settings.audit, settings.keepAudited, log),
    shadows,
    isDraining: false,
  };
  const requests = createJsonRequests(limits.images);
  const closeModels = async () => {
    state.uploads.close();
    await requests.close();
    await Promise.all([...Array.from(served.values(), (model) => model.close()), shadows?.close()]);
  };
  let http: HttpServer;
  try {
    http = await listen(await createApp(state, requests), { ...settings, milliseconds: limits.milliseconds });
  } catch (error) {
    await closeModels();
    throw error;
  }
  const port = portOf(http, settings.port);
  const url = `http://${shownHost(settings.host)}:${port}`;
  log.info('listening', { url, models: [...served.keys()] });

  const end = async () => {
    state.isDraining = true;
    log.info('draining', { images: admission.images });
    await drained(http, settings);
    await closeModels();
    log.info('stopped');
    await predictions?.close();
    await state.audits?.close();
    await standardError?.close();
  };
  let ending: Promise<void> | undefined;
  const close = () => {
    ending ??= end();
    return ending;
  };
  return {
    url,
    port,
    models: () => Array.from(served.values(), modelSummary),
    async reload() {
      for (const model of served.values()) await model.reload();
    },
    surviveErrors: () => surviveErrors(state),
    close,
    [Symbol.asyncDispose]: close,
  };
}

function checkAudits({ audit, keepAudited, logPredictions, shadow }: ServeSettings): void {
  if (shadow.length > 0 && logPredictions === undefined) {
    throw new UserError('shadow needs logPredictions, where its answers are');
  }
  if (audit !== undefined && logPredictions === undefined) {
    throw new UserError('audit needs logPredictions, where the drawn images are listed');
  }
  if (keepAudited !== undefined && audit === undefined) {
    throw new UserError('keepAudited needs audit, the share of images to draw');
  }
}

function surviveErrors(state: ServerState): Disposable {
  const record = (error: unknown) => recordUnexpected(state, error);
  process.on('unhandledRejection', record);
  process.on('uncaughtException', record);
  return {
    [Symbol.dispose]() {
      process.off('unhandledRejection', record);
      process.off('uncaughtException', record);
    },
  };
}

/** Returns the paths by model name. */
function namedModels(models: readonly string[]): Map<string, string> {
  const named = new Map<string, string>();
  for (const given of models) {
    const [, name, path] = /^([\w.-]+)=(.+)$/.exec(given) ?? [undefined, nameOf(given), given];
    if (named.has(name!)) throw new UsageError(`two models are named '${name}'; rename one with NAME=PATH`);
    named.set(name!, path!);
  }
  if (named.size === 0) throw new UsageError('no model given');
  return named;
}

/**
 * Returns the default name of a model: sewer for `runs/sewer`, `runs/sewer/model.safetensors` and
 * `sewer.onnx`.
 */
function nameOf(path: string): string {
  const file = basename(resolve(path)).replace(/\.(onnx|safetensors)$/i, '');
  const name = file === 'model' ? basename(dirname(resolve(path))) : file;
  return name.replaceAll(/[^\w.-]+/g, '-') || 'model';
}
