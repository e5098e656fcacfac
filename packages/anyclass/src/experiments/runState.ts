// How far a planned run has come, and whether its folder holds that very run.

import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { differingFields, resultFields, resultKey } from '../configuration/dottedFields.js';
import { UserError } from '../errors/userError.js';
import { holdsOnlyRemains, openRun, runPaths } from '../runs/runFolder.js';
import { lockRun } from '../runs/runLock.js';
import { readSummary } from '../runs/summary.js';
import type { PlannedRun } from './plannedRun.js';

export type RunState = 'absent' | 'begun' | 'finished';

/**
 * Says whether a run has to be started, resumed or only read. Throws if the folder holds a run with different
 * settings, and names the fields that differ; its device and its cache do not count.
 *
 * @example
 * runState(planned) // 'begun' for one that was interrupted
 */
export function runState({ folder, configuration }: PlannedRun): RunState {
  const paths = runPaths(folder);
  if (!existsSync(paths.config)) {
    removeRemains(folder);
    return 'absent';
  }
  const { record } = openRun(folder);
  const differing = differingFields(resultFields(record.configuration), resultFields(configuration));
  if (differing.length > 0) {
    const told = differing
      .slice(0, 5)
      .map(
        ({ field, first, second }) =>
          `${field} is ${first ?? 'not set'} there and ${second ?? 'not set'} now`,
      );
    throw new UserError(
      `${folder} holds a run with different settings: ${told.join('; ')}${differing.length > 5 ? '; …' : ''}. Choose another output folder, or delete that one`,
    );
  }
  if (!existsSync(paths.summary)) return 'begun';
  // Report a damaged summary now, not after all other runs are done.
  readSummary(paths);
  return 'finished';
}

/**
 * Whether a run counts fewer runs in its promise than are compared now: it was trained for a smaller experiment, or alone.
 */
export function countsFewer({ folder, configuration }: PlannedRun): boolean {
  if (!existsSync(runPaths(folder).config)) return false;
  const [own, planned] = [openRun(folder).record.configuration, configuration].map(
    ({ evaluation }) => evaluation.decision.candidates,
  );
  return typeof own === 'number' && typeof planned === 'number' && own < planned;
}

/**
 * Points each run to the folder below `out` that already holds it, if any: an earlier command may have
 * spelled the same configuration differently, such as `any-bce` for `any-bce@alpha=1`.
 *
 * @example
 * atKnownFolders(runs, 'comparisons/coco')[0]?.folder // 'comparisons/coco/coco64-tresnet-m-any-bce@lambda=0.02-seed1'
 */
export function atKnownFolders(runs: readonly PlannedRun[], out: string): PlannedRun[] {
  const planned = new Set(runs.map(({ name }) => name));
  const known = new Map<string, string>();
  for (const name of existsSync(out) ? readdirSync(out).sort() : []) {
    const key = planned.has(name) ? undefined : recordedKey(join(out, name));
    if (key === undefined) continue;
    // Prefer a finished run.
    if (!known.has(key) || existsSync(runPaths(join(out, name)).summary)) known.set(key, name);
  }
  return runs.map((run) => {
    const name = known.get(resultKey(run.configuration));
    const isElsewhere = name !== undefined && !existsSync(runPaths(run.folder).config);
    return isElsewhere ? { ...run, name, folder: join(out, name) } : run;
  });
}

/** Undefined if the folder is not a run or is damaged: only the requested runs have to be intact. */
function recordedKey(folder: string): string | undefined {
  try {
    return resultKey(openRun(folder).record.configuration);
  } catch (error) {
    if (error instanceof UserError) return undefined;
    throw error;
  }
}

/** Whether another live process is working on the run. */
export function isBusy(folder: string): boolean {
  if (!existsSync(folder)) return false;
  try {
    lockRun(folder)[Symbol.dispose]();
    return false;
  } catch (error) {
    if (error instanceof UserError) return true;
    throw error;
  }
}

/** Removes what a process left that was killed right at the start. */
function removeRemains(folder: string): void {
  if (!existsSync(folder) || isBusy(folder)) return;
  if (!holdsOnlyRemains(folder))
    throw new UserError(`${folder} holds files but no run; choose another output folder, or delete that one`);
  rmSync(folder, { recursive: true });
}
