// A served model: the version that answers now, and its replacement when the file changes.

import { statSync } from 'node:fs';
import { reasonOf } from '../../errors/reasonOf.js';
import { modelPath } from '../../runs/modelFile.js';
import { Problem } from '../../web/problem.js';
import type { DeviceGate } from './deviceGate.js';
import { startInference } from './inferenceThread.js';
import { createVersion, type ModelVersion, type VersionOptions } from './modelVersion.js';
import type { WorkerTask } from './workerMessages.js';

export interface ServedModel {
  readonly name: string;
  /** Path as given. */
  readonly path: string;
  /**
   * Returns the version that answers requests now.
   *
   * @throws Problem if its thread died and no other could be opened yet
   */
  version(): ModelVersion;
  readonly isReady: boolean;
  /**
   * Reopens the file and switches to the new version once it works; the old version answers open requests.
   */
  reload(): Promise<void>;
  close(): Promise<void>;
}

export interface ServedModelOptions extends Omit<VersionOptions, 'turn'> {
  readonly task: WorkerTask;
  readonly gate: DeviceGate;
  /** Seconds between checks of the file; 0 disables them. */
  readonly reloadSeconds: number;
  onReload(result: { readonly version: ModelVersion } | ReloadProblem): void;
}

/** Why a model was not reloaded, or died. */
export interface ReloadProblem {
  readonly problem: string;
  /** Whether the previous version still answers requests. */
  readonly isServing: boolean;
}

/**
 * Opens a model to serve.
 *
 * @throws UserError if it cannot be opened
 */
export async function openServedModel(name: string, options: ServedModelOptions): Promise<ServedModel> {
  const { task, gate, reloadSeconds, onReload } = options;
  let seen = signature(task.model);
  let current: ModelVersion | undefined = await open();
  let changed: string | undefined;
  let reloading: Promise<void> | undefined;
  let isClosed = false;

  async function open(): Promise<ModelVersion> {
    const thread = await startInference(task);
    const version = createVersion(thread, { ...options, turn: gate.shared });
    thread.onDeath((reason) => {
      if (current !== version) return;
      current = undefined;
      onReload({ problem: `${reason}; reopening the model`, isServing: false });
      void reload();
    });
    return version;
  }

  async function replace(): Promise<void> {
    try {
      seen = signature(task.model);
      const isOnGpu = current === undefined || current.model.device !== 'cpu';
      const next = await (isOnGpu ? gate.exclusive(open) : open());
      const before = current;
      current = next;
      onReload({ version: next });
      void before?.close();
    } catch (error) {
      onReload({ problem: reasonOf(error), isServing: current !== undefined });
    }
  }

  function reload(): Promise<void> {
    reloading ??= replace().finally(() => {
      reloading = undefined;
    });
    return reloading;
  }

  // A file that is still being written changes between checks, so it is opened only after two checks in a row
  // saw the same file.
  const look = () => {
    const now = signature(task.model);
    if (current === undefined && reloading === undefined) void reload();
    else if (now === seen || now === undefined) changed = undefined;
    else if (now === changed) void reload();
    else changed = now;
  };
  const timer = reloadSeconds > 0 ? setInterval(look, reloadSeconds * 1000).unref() : undefined;

  return {
    name,
    path: task.model,
    version() {
      if (current === undefined)
        throw new Problem('unavailable', `model '${name}' is restarting; retry in a moment`, {
          retryAfter: 2,
        });
      return current;
    },
    get isReady() {
      return current !== undefined && !isClosed;
    },
    reload,
    async close() {
      isClosed = true;
      clearInterval(timer);
      await reloading;
      await current?.close();
    },
  };
}

/** Returns a text that changes when the file does; undefined while there is no file. */
function signature(model: string): string | undefined {
  try {
    const { ino, size, mtimeMs } = statSync(modelPath(model));
    return `${ino} ${size} ${mtimeMs}`;
  } catch {
    return undefined;
  }
}
