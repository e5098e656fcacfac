// A trial as a run of its own, in a process of its own: a batch that does not fit into the memory, a crash or what libtorch
// keeps between runs then end with the trial, and not with the worker. The price is the engine's start, about a second.

import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import { type ChildDevice, deviceInChild, sharedCores } from '../children/devices.js';
import { withOverrides } from '../configuration/overrides.js';
import type { Configuration } from '../configuration/schema.js';
import { validateConfiguration } from '../configuration/validate.js';
import type { Values } from './sampler.js';
import type { StudySettings } from './study.js';
import { type TrialTask, trialMessage, type WorkerMessage } from './trialMessages.js';
import type { Objective, Outcome, TrialHooks } from './work.js';

export interface TrainTrialOptions {
  /** Trials side by side in this process: they share the cores. */
  readonly workers: number;
  /** What trials side by side are spread over; default: every trial sees all. */
  readonly devices?: readonly ChildDevice[];
}

/**
 * The objective that trains a study's trials.
 *
 * @example
 * await work(folder, settings, { objective: trainTrial(folder, settings, { workers: 1 }) });
 */
export function trainTrial(study: string, settings: StudySettings, options: TrainTrialOptions): Objective {
  const trialsOn = new Map(options.devices?.map((device) => [device, 0]));
  return async ({ folder, values }, hooks) => {
    if (hooks.signal.aborted) return { kind: 'interrupted' };
    const device = leastUsed(trialsOn);
    const configuration = savingSpace(trialConfiguration(settings, values));
    const task: TrialTask = {
      folder: join(study, folder),
      configuration: device ? { ...configuration, device: deviceInChild(device) } : configuration,
    };
    if (device) trialsOn.set(device, (trialsOn.get(device) ?? 0) + 1);
    try {
      const env = { ...process.env, ...sharedCores(options.workers), ...device?.env };
      return await inProcess(task, hooks, env);
    } finally {
      if (device) trialsOn.set(device, (trialsOn.get(device) ?? 0) - 1);
    }
  };
}

/**
 * The configuration of a trial.
 *
 * @example
 * trialConfiguration(settings, { 'loss.lambda': 0.1 }).loss.lambda // 0.1
 */
export function trialConfiguration(settings: StudySettings, values: Values): Configuration {
  const fields = Object.entries(values).map(([field, value]) => `${field}=${JSON.stringify(value)}`);
  const source = `the configuration with ${fields.join(', ')}`;
  return validateConfiguration(
    { ...withOverrides(settings.configuration, fields), bestBy: settings.metric },
    source,
  );
}

function leastUsed(trialsOn: ReadonlyMap<ChildDevice, number>): ChildDevice | undefined {
  return [...trialsOn].sort(([, a], [, b]) => a - b)[0]?.[0];
}

/** A study has many runs: each keeps one checkpoint and the weights that are best by the metric. */
function savingSpace(configuration: Configuration): Configuration {
  return { ...configuration, checkpoints: { ...configuration.checkpoints, keep: 1, best: [] } };
}

function inProcess(task: TrialTask, hooks: TrialHooks, env: NodeJS.ProcessEnv): Promise<Outcome> {
  const child = fork(new URL('./trialProcess.js', import.meta.url), [JSON.stringify(task)], {
    env,
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  // A process that died a moment ago hears nothing, which is no error: its end tells.
  const say = (message: WorkerMessage) => void (child.connected && child.send(message, () => {}));
  const interrupt = () => say({ kind: 'interrupt' });
  hooks.signal.addEventListener('abort', interrupt);
  let outcome: Outcome | undefined;
  let problem: unknown;
  child.on('message', (raw) => {
    const message = trialMessage.parse(raw);
    if (message.kind === 'progress') hooks.progress(message.text);
    else if (message.kind === 'epoch') {
      hooks.report(message.epoch, message.value).then(
        (isOver) => say({ kind: 'verdict', isOver }),
        (error: unknown) => {
          problem = error;
          interrupt();
        },
      );
    } else outcome = message;
  });
  const lastWords = tailOf(child);
  return new Promise<Outcome>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => {
      hooks.signal.removeEventListener('abort', interrupt);
      if (problem !== undefined) reject(problem);
      else if (outcome) resolve(outcome);
      else if (hooks.signal.aborted) resolve({ kind: 'interrupted' });
      else
        resolve({
          kind: 'died',
          reason: [`ended by ${signal ?? `exit code ${code}`}`, lastWords()].join(' ').trim(),
        });
    });
  });
}

/** The end of what a process writes to standard error: why it died, perhaps. */
function tailOf({ stderr }: ChildProcess): () => string {
  let tail = '';
  stderr?.setEncoding('utf8').on('data', (text) => {
    tail = `${tail}${text}`.slice(-500);
  });
  return () => tail.trim();
}
