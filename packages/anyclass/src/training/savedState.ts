// What a run saves on its way, and what it says where that fails.

import { listed } from '../errors/listed.js';
import { messageOf } from '../errors/reasonOf.js';
import { resumeCommand, UserError } from '../errors/userError.js';
import type { ActiveRun } from './activeRun.js';
import { pruneCheckpoints, writeCheckpoint } from './checkpoint.js';
import { brokenWeights, lateDivergence } from './divergence.js';
import { checkpointOf, type Session } from './session.js';

/**
 * Writes a checkpoint of weights that are sound, and removes those that are not needed any more. Of several ranks, which all
 * call it, the first writes.
 */
export function saveCheckpoint(session: Session, run: ActiveRun): void {
  refuseBrokenWeights(session, run);
  const { checkpoints } = run.paths;
  const content = checkpointOf(session);
  if (run.ranks && !run.ranks.isFirst) return;
  const checkpoint = telling(run, () => {
    const path = writeCheckpoint(checkpoints, content);
    pruneCheckpoints(checkpoints, session.configuration.checkpoints.keep);
    return path;
  });
  run.lastCheckpoint = checkpoint;
  run.emit({ type: 'saved', checkpoint });
}

export function refuseBrokenWeights({ network, progress }: Session, { lastCheckpoint }: ActiveRun): void {
  const broken = brokenWeights(network);
  if (broken.length === 0) return;
  const { epoch, step } = progress;
  throw lateDivergence('weights', listed(broken), { epoch: epoch + 1, step, lastCheckpoint });
}

/** Where a file cannot be written: what is whole still, and how to go on. */
export function telling<T>({ paths, lastCheckpoint }: ActiveRun, write: () => T): T {
  try {
    return write();
  } catch (error) {
    const whole =
      lastCheckpoint === undefined
        ? 'no checkpoint was written before'
        : `the last checkpoint is intact: ${lastCheckpoint}`;
    throw new UserError(
      `${paths.folder} cannot be written to (${messageOf(error)}); ${whole}. Make room, then resume the run`,
      { cause: error, next: resumeCommand(paths.folder) },
    );
  }
}
