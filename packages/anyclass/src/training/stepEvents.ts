// How far and how fast an epoch is.

import { instanceWord } from '../data/dataset.js';
import type { StepEvent } from '../events/runEvent.js';
import type { Session } from './session.js';

export interface EpochClock {
  /** Time since the last step is time that training waited for images. */
  batchArrived(): void;
  /** Adds the step's time to the session's progress. */
  stepDone(): void;
  isCheckpointDue(): boolean;
  /** Leaves out what happened since the last step, and counts on to the next checkpoint. */
  restart(): void;
  /** Steps and seconds of the epoch in this process. */
  sinceStart(): { readonly steps: number; readonly seconds: number };
}

export function epochClock({ progress, configuration }: Session, now = () => performance.now()): EpochClock {
  const first = { step: progress.step, seconds: progress.seconds };
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
    sinceStart: () => ({ steps: progress.step - first.step, seconds: progress.seconds - first.seconds }),
  };
}

/** What listeners hear after a step. */
export function stepEvent(session: Session, clock: EpochClock): StepEvent {
  const { configuration, data, loader, optimizer, progress } = session;
  const { step, updates, lossSum, seconds, waitSeconds } = progress;
  const { epochs } = configuration;
  const imagesPerStep = Math.min(configuration.batchSize, data.trainingRows.length);
  const steps = loader.stepsPerEpoch;
  const since = clock.sinceStart();
  const stepsPerSecond = since.steps > 0 ? since.steps / since.seconds : undefined;
  const stepsLeft = steps - step + (epochs - progress.epoch - 1) * steps;
  return {
    type: 'step',
    epoch: progress.epoch + 1,
    epochs,
    step,
    steps,
    images: step * imagesPerStep,
    imagesPerEpoch: steps * imagesPerStep,
    unit: `${instanceWord(data.dataset)}s`,
    loss: updates > 0 ? lossSum / updates : null,
    rate: optimizer.groups.at(-1)!.lr,
    imagesPerSecond: stepsPerSecond === undefined ? null : stepsPerSecond * imagesPerStep,
    secondsLeft: stepsPerSecond === undefined ? null : stepsLeft / stepsPerSecond,
    dataWaitShare: seconds > 0 ? waitSeconds / seconds : 0,
  };
}
