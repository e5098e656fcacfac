// Measures the progress and speed of an epoch.

import { cudaMemory, type Device } from '@anyclass/torch';
import { instanceWord } from '../data/dataset/dataset.js';
import type { StepEvent } from '../events/runEvent.js';
import type { Session } from './session.js';

export interface EpochClock {
  /** Marks the arrival of a batch; the time since the last step counts as waiting for images. */
  batchArrived(): void;
  /** Adds the step's time to the session's progress. */
  stepDone(): void;
  isCheckpointDue(): boolean;
  /** Discards the time since the last step, and restarts the interval to the next checkpoint. */
  restart(): void;
  /** Steps, seconds and images since this process started the epoch. */
  sinceStart(images: number): { readonly steps: number; readonly seconds: number; readonly images: number };
}

export function epochClock({ progress, configuration }: Session, now = () => performance.now()): EpochClock {
  const { step, seconds, images } = progress;
  const pauseEvery = configuration.checkpoints.everyMinutes * 60_000;
  let checkpointed = now();
  let before = checkpointed;
  let arrived = checkpointed;
  return {
    batchArrived() {
      arrived = now();
    },
    stepDone() {
      const done = now();
      progress.waitSeconds += (arrived - before) / 1000;
      progress.seconds += (done - before) / 1000;
      before = done;
    },
    isCheckpointDue: () => before - checkpointed > pauseEvery,
    restart() {
      checkpointed = before = now();
    },
    sinceStart: (done) => ({
      steps: progress.step - step,
      seconds: progress.seconds - seconds,
      images: done - images,
    }),
  };
}

/**
 * The event for listeners after a step. Images that could not be read do not count.
 *
 * @param waiting steps whose metrics have not been read yet; until then they count as full batches
 */
export function stepEvent(session: Session, clock: EpochClock, waiting: number): StepEvent {
  const { configuration, data, loader, optimizer, progress, settings } = session;
  const { step, updates, lossSum, seconds, waitSeconds } = progress;
  const { epochs } = configuration;
  const imagesPerStep = Math.min(configuration.batchSize, data.trainingRows.length);
  const steps = loader.stepsPerEpoch;
  const images = progress.images + waiting * imagesPerStep;
  const since = clock.sinceStart(images);
  const stepsPerSecond = since.steps > 0 ? since.steps / since.seconds : undefined;
  const stepsLeft = steps - step + (epochs - progress.epoch - 1) * steps;
  return {
    type: 'step',
    epoch: progress.epoch + 1,
    epochs,
    step,
    steps,
    images,
    imagesPerEpoch: steps * imagesPerStep,
    unit: `${instanceWord(data.dataset)}s`,
    loss: updates > 0 ? lossSum / updates : null,
    rate: optimizer.groups.at(-1)!.lr,
    imagesPerSecond: since.steps > 0 ? since.images / since.seconds : null,
    secondsLeft: stepsPerSecond === undefined ? null : stepsLeft / stepsPerSecond,
    dataWaitShare: seconds > 0 ? waitSeconds / seconds : 0,
    ...gpuMemory(settings.device),
  };
}

function gpuMemory(device: Device): Pick<StepEvent, 'gpuMemory'> {
  const [kind, index = '0'] = device.split(':');
  return kind === 'cuda' ? { gpuMemory: cudaMemory(Number(index)).reserved } : {};
}
