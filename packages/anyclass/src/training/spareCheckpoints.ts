// What a finished run no longer needs: the checkpoints to train on from, and what interrupted or damaged writes left.

import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { runPaths } from '../runs/runFolder.js';
import { lockRun } from '../runs/runLock.js';
import { checkpointFiles, checkpointState, writeCheckpoint } from './checkpoint.js';

export interface SpareCheckpoints {
  /** How much smaller the run gets. */
  readonly bytes: number;
  /** Removes them, with the run's lock held. */
  drop(): void;
}

/**
 * Returns what a finished run can do without, as if it had finished without `checkpoints.keepFinished`: its best
 * weights stay, and what evaluating them again needs. Undefined if the run is not finished, or there is
 * nothing to drop.
 *
 * @example
 * spareCheckpoints('runs/sewer')?.bytes // 96195984
 */
export function spareCheckpoints(run: string): SpareCheckpoints | undefined {
  const { summary, checkpoints } = runPaths(run);
  const [newest] = checkpointFiles(checkpoints);
  if (newest === undefined || !existsSync(summary)) return undefined;
  const path = join(checkpoints, newest);
  const size = (name: string) => statSync(join(checkpoints, name)).size;
  const state = checkpointState(path);
  const best = Object.values(state?.progress.best ?? {}).map(({ file }) => file);
  // Without the best weights, the checkpoints are the only ones to evaluate again.
  if (!state || !best.some((name) => existsSync(join(checkpoints, name)))) return undefined;
  const isLean = size(newest) < leanBytes;
  const others = readdirSync(checkpoints).filter((name) => name !== newest && !best.includes(name));
  if (isLean && others.length === 0) return undefined;
  return {
    bytes: [...(isLean ? [] : [newest]), ...others].reduce((sum, name) => sum + size(name), 0),
    drop() {
      using _lock = lockRun(run);
      if (!isLean) writeCheckpoint(checkpoints, { tensors: new Map(), state });
      for (const name of others) rmSync(join(checkpoints, name), { force: true });
    },
  };
}

/** A checkpoint without tensors is far smaller than this, one with tensors far larger. */
const leanBytes = 2 ** 17;
