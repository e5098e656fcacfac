// The training loop: epochs of steps, each followed by validation, a line in the log and a checkpoint.

import { fromFirst } from '../distribution/exchange.js';
import { distributionOf } from '../distribution/ranks.js';
import type { EpochRecord } from '../events/epochRecord.js';
import { appendEpoch } from '../runs/metricsLog.js';
import type { ActiveRun, TrainingResult } from './activeRun.js';
import { keepBestWeights, noteBest } from './bestWeights.js';
import { expectedSeconds } from './expectedSeconds.js';
import { finishRun } from './finishRun.js';
import { firstStep, type Validation } from './progress.js';
import { explainingFailure, refuseBrokenWeights, saveCheckpoint } from './savedState.js';
import type { Session } from './session.js';
import { trainEpoch } from './trainEpoch.js';
import { validate } from './validate.js';
import { anyRank } from './votes.js';

/** Trains the rest of a run and evaluates it, or saves a checkpoint and stops when the signal is aborted. */
export async function trainToEnd(session: Session, run: ActiveRun): Promise<TrainingResult> {
  const { signal } = run.options;
  const { ranks } = run;
  await announce(session, run);
  while (!isTrained(session)) {
    const isStopped = await trainEpoch(session, run);
    refuseBrokenWeights(session, run);
    const validation = isStopped ? undefined : await unlessAborted(run, () => validate(session, run));
    if (!validation) {
      saveCheckpoint(session, run);
      return interrupted(run);
    }
    const isOver = await fromFirst(ranks, () => endEpoch(session, run, validation));
    noteBest(session, validation);
    beginNextEpoch(session);
    saveCheckpoint(session, run);
    if (await anyRank(ranks, isOver || (signal?.aborted ?? false))) return interrupted(run);
  }
  const summary = await unlessAborted(run, () => finishRun(session, run));
  if (ranks && !ranks.isFirst) return { folder: run.paths.folder, isFinishedElsewhere: true };
  if (!summary) return interrupted(run);
  await run.options.onJudged?.(run.paths.folder, session.data.dataset);
  run.emit({ type: 'finished', run: run.paths.folder, summary });
  return { folder: run.paths.folder, summary };
}

/** Writes the files of an epoch and reports it; returns whether the caller wants the run to stop. */
async function endEpoch(session: Session, run: ActiveRun, validation: Validation): Promise<boolean> {
  const record = epochRecord(session, validation);
  explainingFailure(run, () => {
    keepBestWeights(session, run, validation);
    appendEpoch(run.paths.metrics, record);
  });
  run.emit({ type: 'validated', epochs: session.configuration.epochs, record });
  return (await run.options.onEpoch?.(record)) ?? false;
}

async function announce(session: Session, run: ActiveRun): Promise<void> {
  const { configuration, data, settings, progress, remarks } = session;
  const { lastCheckpoint: checkpoint } = run;
  const { epoch, step } = progress;
  run.emit({
    type: 'started',
    run: run.paths.folder,
    dataset: data.dataset.name,
    network: configuration.network.name,
    loss: configuration.loss.name,
    ...settings,
    epochs: configuration.epochs,
    ...(!isTrained(session) && { expectedSeconds: await expectedSeconds(session) }),
    ...(run.ranks && { distribution: distributionOf(run.ranks) }),
    ...(checkpoint !== undefined && { resumed: { checkpoint, epoch, step } }),
  });
  for (const remark of remarks) run.note(remark);
}

function isTrained({ configuration: { epochs, patience }, progress }: Session): boolean {
  return progress.epoch >= epochs || progress.epochsSinceBest >= (patience ?? Number.POSITIVE_INFINITY);
}

function epochRecord({ progress, optimizer, loader }: Session, validation: Validation): EpochRecord {
  const { lossSum, updates, images, seconds, waitSeconds } = progress;
  return {
    epoch: progress.epoch + 1,
    rate: optimizer.groups.at(-1)!.lr,
    trainingLoss: lossSum / updates,
    validationLoss: validation.loss,
    validationBce: validation.bce,
    validation: validation.metrics,
    seconds,
    imagesPerSecond: images / seconds,
    dataWaitShare: waitSeconds / seconds,
    quarantined: validation.quarantinedInTraining ?? loader.quarantined().length,
  };
}

function beginNextEpoch({ scheduler, progress, margins }: Session): void {
  margins?.endEpoch(progress.lossSum / progress.updates);
  scheduler.step();
  Object.assign(progress, { epoch: progress.epoch + 1, ...firstStep });
}

function interrupted({ paths, lastCheckpoint: checkpoint, emit }: ActiveRun): TrainingResult {
  emit({ type: 'interrupted', run: paths.folder, checkpoint });
  return { folder: paths.folder };
}

/**
 * Returns the result of the work, or undefined if the signal was aborted before or during it. With several
 * ranks the work always finishes, since all would have to see the signal at the same point.
 */
async function unlessAborted<T>(
  { options, ranks }: ActiveRun,
  work: () => Promise<T>,
): Promise<T | undefined> {
  const signal = ranks ? undefined : options.signal;
  if (signal?.aborted) return undefined;
  try {
    return await work();
  } catch (error) {
    if (signal?.aborted) return undefined;
    throw error;
  }
}
