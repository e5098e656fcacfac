// Opens the models that a server answers with, and those in their shadow.

import { UsageError } from '../errors/usageError.js';
import { createDeviceGate } from './models/deviceGate.js';
import { openServedModel, type ServedModel } from './models/servedModel.js';
import type { OpenedModel } from './models/workerMessages.js';
import type { Log } from './operation/log.js';
import type { ServingMetrics } from './operation/metrics.js';
import { requestLimits, type ServeOptions, type ServeSettings } from './operation/options.js';
import { checkShadow, createShadows, type Shadows } from './operation/shadows.js';

/** Opens the models in the shadow of others; undefined without any. */
export async function openShadows(
  served: ReadonlyMap<string, ServedModel>,
  opening: Opening,
): Promise<Shadows | undefined> {
  const { settings, log } = opening;
  if (settings.shadow.length === 0) return undefined;
  const [only, another] = served.keys();
  const paths = new Map(
    settings.shadow.map((given) => {
      const [, name, path] = /^([\w.-]+)=(.+)$/.exec(given) ?? [undefined, another ? '' : only, given];
      if (name === undefined || !served.has(name))
        throw new UsageError(
          `no model '${name ?? ''}' for the shadow ${given}; expected NAME=PATH with ${[...served.keys()].join(', ')}`,
        );
      return [name, path ?? ''];
    }),
  );
  // They have names of their own in metrics and logs.
  const named = new Map(Array.from(paths, ([name, path]) => [`${name}.shadow`, path]));
  const opened = await openModels(named, { ...opening, decision: undefined });
  const shadows = new Map(Array.from(paths.keys(), (name) => [name, opened.get(`${name}.shadow`)!]));
  try {
    for (const [name, shadow] of shadows) checkShadow(served.get(name)!, shadow);
  } catch (error) {
    await Promise.all(Array.from(opened.values(), (model) => model.close()));
    throw error;
  }
  return createShadows(shadows, settings.queue, log);
}

export interface Opening {
  readonly settings: ServeSettings;
  readonly decision: ServeOptions['decision'];
  readonly metrics: ServingMetrics;
  readonly log: Log;
}

/** Opens models by name, each in a thread of its own. */
export async function openModels(
  paths: ReadonlyMap<string, string>,
  { settings, decision, metrics, log }: Opening,
): Promise<Map<string, ServedModel>> {
  const { device, precision, maxBatch, maxDelay, queue, reload } = settings;
  const gate = createDeviceGate();
  const served = new Map<string, ServedModel>();
  try {
    for (const [name, model] of paths) {
      const tellOpened = (version: OpenedModel) => {
        metrics.opened(name, version);
        for (const remark of version.remarks ?? []) log.warn(remark, { model: name });
        for (const remark of version.decisionRemarks) log.info(remark, { model: name });
      };
      const opened = await openServedModel(name, {
        task: { model, device, precision, decision, batchSize: maxBatch, slots: queue },
        gate,
        maxBatch,
        maxDelay,
        maxPixels: requestLimits(settings).pixels,
        listener: metrics.listener(name),
        reloadSeconds: reload,
        onReload(result) {
          if ('problem' in result) {
            metrics.reloaded(name, 'failed');
            const state = result.isServing
              ? 'reload failed; the previous version keeps serving'
              : 'the model is not serving';
            log.error(state, { model: name, reason: result.problem });
            return;
          }
          metrics.reloaded(name, 'ok');
          tellOpened(result.version.model);
          log.info('model reloaded', { model: name, version: result.version.model.version });
        },
      });
      served.set(name, opened);
      tellOpened(opened.version().model);
    }
    return served;
  } catch (error) {
    await Promise.all(Array.from(served.values(), (model) => model.close()));
    throw error;
  }
}
