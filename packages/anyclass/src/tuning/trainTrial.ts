// Trains each trial as a run in its own process, so that running out of memory, a crash or memory that
// libtorch keeps between runs affects only that trial and not the worker. The price is loading libtorch,
// about a second.

import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ChildRunOptions, startChildRun } from '../children/childRun.js';
import { type ChildDevice, deviceInChild, sharedCores } from '../children/devices.js';
import { oneOf } from '../configuration/candidates.js';
import { withSettings } from '../configuration/overrides.js';
import type { Configuration } from '../configuration/schema.js';
import { validateConfiguration } from '../configuration/validate.js';
import type { EpochRecord } from '../events/epochRecord.js';
import { runPaths } from '../runs/runFolder.js';
import { lockRun } from '../runs/runLock.js';
import { metricValue } from '../training/progress.js';
import type { Values } from './sampler.js';
import type { StudySettings } from './study.js';
import type { Objective, Outcome, TrialHooks } from './work.js';

export interface TrainTrialOptions {
  /** How many trials this process runs side by side; they share the cores. */
  readonly workers: number;
  /** Processes per trial. Default 1. */
  readonly processes?: number | undefined;
  /** Devices over which concurrent trials are spread; by default every trial sees all. */
  readonly devices?: readonly ChildDevice[];
}

/**
 * Returns the objective that trains a study's trials.
 *
 * @example
 * await work(folder, settings, { objective: trainTrial(folder, settings, { workers: 1 }) });
 */
export function trainTrial(study: string, settings: StudySettings, options: TrainTrialOptions): Objective {
  const trialsOn = new Map(options.devices?.map((device) => [device, 0]));
  const { workers, processes = 1 } = options;
  return async ({ folder, values }, hooks) => {
    if (hooks.signal.aborted) return { kind: 'interrupted' };
    const device = leastUsed(trialsOn);
    const configuration = savingSpace(trialConfiguration(settings, values));
    if (device) trialsOn.set(device, (trialsOn.get(device) ?? 0) + 1);
    try {
      return await inProcess(study, folder, hooks, {
        configuration: device ? { ...configuration, device: deviceInChild(device) } : configuration,
        processes,
        env: { ...sharedCores(workers * processes), ...device?.env },
      });
    } finally {
      if (device) trialsOn.set(device, (trialsOn.get(device) ?? 0) - 1);
    }
  };
}

/**
 * Returns the configuration of a trial.
 *
 * @example
 * trialConfiguration(settings, { 'loss.lambda': 0.1 }).loss.lambda // 0.1
 */
export function trialConfiguration(settings: StudySettings, values: Values): Configuration {
  const fields = Object.entries(values).map(([field, value]) => `${field}=${JSON.stringify(value)}`);
  const configuration = validateConfiguration(
    { ...withSettings(settings.configuration, values), bestBy: settings.metric },
    `the configuration with ${fields.join(', ')}`,
  );
  // What is tried next depends on results on validation, so its candidates cannot be counted.
  return oneOf(configuration, 'adaptive');
}

function leastUsed(trialsOn: ReadonlyMap<ChildDevice, number>): ChildDevice | undefined {
  return [...trialsOn].sort(([, a], [, b]) => a - b)[0]?.[0];
}

/** A study has many runs, so each keeps only one checkpoint and the best weights by the metric. */
function savingSpace(configuration: Configuration): Configuration {
  return { ...configuration, checkpoints: { ...configuration.checkpoints, keep: 1, best: [] } };
}

async function inProcess(
  study: string,
  trialFolder: string,
  hooks: TrialHooks,
  { configuration, processes, env }: Pick<ChildRunOptions, 'configuration' | 'processes' | 'env'>,
): Promise<Outcome> {
  const folder = join(study, trialFolder);
  const name = basename(trialFolder);
  await untilFree(folder);
  let problem: { readonly error: unknown } | undefined;
  const child = startChildRun({
    folder,
    configuration,
    isBegun: existsSync(runPaths(folder).config),
    log: join(study, 'logs', `${name}.log`),
    processes,
    env,
    onEvent: hooks.onEvent,
    // A metric that cannot be recorded stops the trial.
    onEpoch: (record) =>
      hooks.report(record.epoch, epochValue(record, configuration)).catch((error: unknown) => {
        problem = { error };
        return true;
      }),
  });
  hooks.signal.addEventListener('abort', child.stop);
  if (hooks.signal.aborted) child.stop();
  const outcome = await child.done;
  hooks.signal.removeEventListener('abort', child.stop);
  if (problem) throw problem.error;
  if (outcome.kind === 'elsewhere') return { kind: 'failed', reason: outcome.reason, hasBegun: true };
  return hooks.signal.aborted && outcome.kind !== 'finished' ? { kind: 'interrupted' } : outcome;
}

function epochValue(record: EpochRecord, { bestBy }: Configuration): number | null {
  const { validation: metrics, validationLoss: loss, validationBce: bce } = record;
  return metricValue({ metrics, loss, bce }, bestBy);
}

/** The trial process of a killed worker may still be saving its last checkpoint. */
const lockPatience = 60_000;

/** Waits until no process is working on the run; removes the remains of one that had not started. */
async function untilFree(folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const started = performance.now();
  for (;;) {
    try {
      using _lock = lockRun(folder);
      break;
    } catch (error) {
      if (performance.now() - started > lockPatience) throw error;
      await sleep(200);
    }
  }
  if (!existsSync(runPaths(folder).config)) rmSync(folder, { recursive: true, force: true });
}
