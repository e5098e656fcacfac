// What a run saves during training, and the message if that fails.

import { existsSync } from 'node:fs';
import { listed } from '../errors/listed.js';
import { messageOf } from '../errors/reasonOf.js';
import { resumeCommand, UserError } from '../errors/userError.js';
import { brokenWeights } from '../networks/brokenWeights.js';
import type { ActiveRun } from './activeRun.js';
import { pruneCheckpoints, writeCheckpoint } from './checkpoint.js';
import { lateDivergence } from './divergence.js';
import type { Session } from './session.js';
import { checkpointOf, finalCheckpointOf } from './sessionCheckpoint.js';

/**
 * Writes a checkpoint if the weights are finite, and removes checkpoints that are no longer needed. All ranks
 * must call it, but only the first one writes.
 */
export function saveCheckpoint(session: Session, run: ActiveRun): void {
  refuseBrokenWeights(session, run);
  const { checkpoints } = run.paths;
  const content = checkpointOf(session);
  if (run.ranks && !run.ranks.isFirst) return;
  const checkpoint = explainingFailure(run, () => {
    const path = writeCheckpoint(checkpoints, content);
    pruneCheckpoints(checkpoints, session.configuration.checkpoints.keep);
    return path;
  });
  run.lastCheckpoint = checkpoint;
  run.emit({ type: 'saved', checkpoint });
}

/**
 * Replaces the checkpoints of a finished run, which are several times as large as its weights, by the little that
 * evaluating it again needs. The best weights stay.
 */
export function dropCheckpoints(session: Session, run: ActiveRun): void {
  if (session.configuration.checkpoints.keepFinished || !session.hasLastWeights) return;
  explainingFailure(run, () => {
    writeCheckpoint(run.paths.checkpoints, finalCheckpointOf(session));
    pruneCheckpoints(run.paths.checkpoints, 1);
  });
}

export function refuseBrokenWeights({ network, progress }: Session, { lastCheckpoint }: ActiveRun): void {
  const broken = brokenWeights(network);
  if (broken.length === 0) return;
  const { epoch, step } = progress;
  throw lateDivergence('weights', listed(broken), { epoch: epoch + 1, step, lastCheckpoint });
}

/**
 * Calls `write`. If a file cannot be written, the error says what is left of the run and how to resume it.
 */
export function explainingFailure<T>({ paths, lastCheckpoint }: ActiveRun, write: () => T): T {
  try {
    return write();
  } catch (error) {
    if (!existsSync(paths.config)) {
      throw new UserError(
        `${paths.folder}: the run folder was removed or replaced during training, with its checkpoints; train again`,
        { cause: error },
      );
    }
    throw new UserError(
      `${paths.folder} cannot be written to: ${messageOf(error)}. ${checkpointLeft(lastCheckpoint)}; fix this, then resume the run`,
      { cause: error, code: 'run-unwritable', next: resumeCommand(paths.folder) },
    );
  }
}

/** The checkpoint to resume from, if its file still exists. */
function checkpointLeft(checkpoint: string | undefined): string {
  if (checkpoint === undefined) return 'No checkpoint was written before';
  return existsSync(checkpoint)
    ? `The last checkpoint is ${checkpoint}`
    : `The last checkpoint, ${checkpoint}, is gone`;
}
