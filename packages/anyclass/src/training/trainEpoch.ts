// Trains one epoch, from the run's current step.

import { tidy } from '@anyclass/torch';
import { defined } from '../configuration/openOptions.js';
import { mixedShare } from '../data/augmentation/mixing.js';
import type { Augmentation } from '../data/augmentation/parameters.js';
import { type DeviceBatch, deviceBatch, featureBatch } from '../data/batches/deviceBatch.js';
import type { Batch } from '../data/batches/loader.js';
import { isFeatureFormat } from '../data/dataset/inputs.js';
import { counted } from '../errors/counted.js';
import type { ActiveRun } from './activeRun.js';
import { setTrainingMode, trainedPart } from './optimizer.js';
import { saveCheckpoint } from './savedState.js';
import type { Session } from './session.js';
import { type EpochClock, epochClock, stepEvent } from './stepEvents.js';
import { stepMetrics } from './stepMetrics.js';
import { trainingSize } from './trainingSizes.js';
import { anyRank, startVote } from './votes.js';

/** Trains to the end of the epoch, or returns true at the step where a rank was asked to stop. */
export async function trainEpoch(session: Session, run: ActiveRun): Promise<boolean> {
  const { progress, loader, configuration, network } = session;
  const metrics = stepMetrics(session, run);
  const clock = epochClock(session);
  const part = trainedPart(configuration, progress.epoch);
  setTrainingMode(network, part, configuration.network.frozenStages);
  if (progress.step === 0) noteFrozenTrunk(session, run);
  run.emit(stepEvent(session, clock, metrics.waiting));
  const { ranks } = run;
  const isAborted = () => run.options.signal?.aborted ?? false;
  if (await anyRank(ranks, isAborted())) return true;
  for await (using batch of loader.epoch(progress.epoch, { startStep: progress.step })) {
    clock.batchArrived();
    const decide = startVote(ranks, () => ({ stop: isAborted(), save: clock.isCheckpointDue() }));
    // A rank without a readable image in its share still takes part in the step.
    if (batch.size > 0 || ranks) {
      setRate(session);
      const outcome = tidy(() => {
        const { inputs, targets, weights } = augmentedBatch(session, batch);
        return session.steps[part](inputs, targets, weights);
      });
      metrics.add(outcome, progress.step, batch.indices, isMixed(session));
    }
    progress.step++;
    if (metrics.areDue() || progress.step === loader.stepsPerEpoch) metrics.read();
    await otherEvents();
    clock.stepDone();
    run.emit(stepEvent(session, clock, metrics.waiting));
    const { stop, save } = decide();
    if (stop) {
      metrics.read();
      return true;
    }
    if (save) checkpoint(session, run, metrics.read, clock);
  }
  metrics.read();
  return false;
}

/** The rate of this step; one that changes once per epoch was set when the epoch began. */
function setRate({ scheduler, configuration, progress, loader }: Session): void {
  if (configuration.schedule.every === 'epoch') return;
  scheduler.moveTo(progress.epoch + progress.step / loader.stepsPerEpoch);
}

/** If a run starts with a frozen trunk, its first epoch and the first unfrozen one say so. */
function noteFrozenTrunk({ configuration: { network }, progress }: Session, run: ActiveRun): void {
  const { frozenEpochs } = network;
  if (frozenEpochs === 0) return;
  if (progress.epoch === 0)
    run.note(`The trunk is frozen for ${counted(frozenEpochs, 'epoch')}: only the last layer trains`);
  if (progress.epoch === frozenEpochs) run.note('All layers train from this epoch on');
}

/** Saves a checkpoint within an epoch, with the metrics of all steps so far. Its time does not count. */
function checkpoint(session: Session, run: ActiveRun, readMetrics: () => void, clock: EpochClock): void {
  readMetrics();
  saveCheckpoint(session, run);
  clock.restart();
}

/**
 * Lets signals and finalizers run. The first turn may end before signals are checked; the second does not.
 */
async function otherEvents(): Promise<void> {
  await new Promise(setImmediate);
  await new Promise(setImmediate);
}

function augmentedBatch(
  { settings, data, augmentation, tileLabels, configuration, progress }: Session,
  batch: Batch,
): DeviceBatch {
  const { mean, std } = data.preparation;
  const { format } = data.inputs;
  if (isFeatureFormat(format)) return featureBatch(batch, format, settings.device);
  const isPlain = isPlainEpoch({ configuration, progress });
  return deviceBatch(batch, {
    format,
    device: settings.device,
    mean,
    std,
    augmentation: isPlain ? flipsOf(augmentation) : augmentation,
    mixing: mixingOf({ configuration, progress }),
    tileLabels,
    seed: configuration.seed,
    resultSize: trainingSize(configuration, progress.epoch),
  });
}

function isPlainEpoch({ configuration, progress }: Pick<Session, 'configuration' | 'progress'>): boolean {
  return progress.epoch >= configuration.epochs - configuration.plainEpochs;
}

function mixingOf(session: Pick<Session, 'configuration' | 'progress'>) {
  return isPlainEpoch(session) ? undefined : session.configuration.mixing;
}

function isMixed(session: Session): boolean {
  const mixing = mixingOf(session);
  return mixing !== undefined && mixedShare(mixing) > 0;
}

/** Flips show nothing that the images of validation could not show, so the last epochs keep them. */
function flipsOf({ flip, verticalFlip }: Augmentation): Augmentation {
  return defined({ flip, verticalFlip });
}
