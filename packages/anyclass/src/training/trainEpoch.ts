// One epoch of training, from the step where the run stands.

import { type Tensor, tidy } from '@anyclass/torch';
import { type DeviceBatch, deviceBatch } from '../data/deviceBatch.js';
import type { Batch } from '../data/loading/loader.js';
import { divergence, isHealthy, type StepFigures } from './divergence.js';
import type { TrainingLog } from './log.js';
import { setTrainingMode } from './optimizer.js';
import type { Session } from './session.js';
import type { StepOutcome } from './trainingStep.js';

export interface EpochOptions {
  readonly log: TrainingLog;
  readonly signal: AbortSignal | undefined;
  /** Called now and then between steps, when all figures are read: may write a checkpoint. */
  readonly onPause: () => void;
  readonly pauseEvery: number;
  readonly lastCheckpoint: () => string | undefined;
}

// Reading a loss back waits for the GPU, which would then wait for us: there it is done once in so many steps.
const stepsBetweenReads = { cpu: 1, cuda: 25 };

/** Trains to the end of the epoch, or until the signal; the session's progress tells how far. */
export async function trainEpoch(session: Session, options: EpochOptions): Promise<void> {
  const { progress, loader, configuration, network, data } = session;
  const { log, signal, onPause, pauseEvery } = options;
  const imagesPerStep = Math.min(configuration.batchSize, data.trainingRows.length);
  const readEvery = stepsBetweenReads[session.settings.device === 'cpu' ? 'cpu' : 'cuda'];
  const bar = log.progress(
    `epoch ${progress.epoch + 1}/${configuration.epochs}`,
    loader.stepsPerEpoch * imagesPerStep,
    'images',
  );
  const unread: { readonly outcome: StepOutcome; readonly step: number; readonly rows: Int32Array }[] = [];
  const readFigures = () => {
    for (const { outcome, step, rows } of unread.splice(0)) {
      const figures = figuresOf(outcome);
      if (!isHealthy(figures, session.scaler.enabled)) {
        const names = Array.from(rows, (row) => data.dataset.names.at(row));
        const lastCheckpoint = options.lastCheckpoint();
        throw divergence(figures, {
          epoch: progress.epoch + 1,
          step: step + 1,
          names,
          network,
          lastCheckpoint,
        });
      }
      progress.updates++;
      progress.lossSum += figures.loss;
      progress.images += rows.length;
    }
  };
  setTrainingMode(network, configuration);
  bar.startFrom(progress.step * imagesPerStep);
  let paused = performance.now();
  let before = paused;
  for await (using batch of loader.epoch(progress.epoch, { startStep: progress.step })) {
    const arrived = performance.now();
    if (batch.size > 0) {
      const outcome = tidy(() => {
        const { images, targets, known } = augmentedBatch(session, batch);
        return session.step(images, withUnknown(targets, known));
      });
      unread.push({ outcome, step: progress.step, rows: batch.indices });
    }
    progress.step++;
    if (unread.length >= readEvery || progress.step === loader.stepsPerEpoch) readFigures();
    await otherEvents();
    const now = performance.now();
    progress.waitSeconds += (arrived - before) / 1000;
    progress.seconds += (now - before) / 1000;
    before = now;
    bar.advance(imagesPerStep, remark(session));
    if (signal?.aborted) break;
    if (now - paused > pauseEvery) {
      readFigures();
      onPause();
      paused = before = performance.now();
    }
  }
  readFigures();
  bar.finish();
}

/** Lets signals and finalizers through. The first turn may end before signals are looked for, the second does not. */
async function otherEvents(): Promise<void> {
  await new Promise(setImmediate);
  await new Promise(setImmediate);
}

function augmentedBatch({ settings, data, augmentation, configuration }: Session, batch: Batch): DeviceBatch {
  const { mean, std } = data.preparation;
  const { device } = settings;
  return deviceBatch(batch, {
    format: data.pixels.format,
    device,
    mean,
    std,
    augmentation,
    seed: configuration.seed,
  });
}

/** The loss takes a target that is no number for unknown. */
function withUnknown(targets: Tensor, known: Tensor | undefined): Tensor {
  return known ? targets.maskedFill(known.eq(0), Number.NaN) : targets;
}

function figuresOf({ loss, largestLogit, gradientNorm }: StepOutcome): StepFigures {
  const figures = {
    loss: loss.toNumber(),
    largestLogit: largestLogit.toNumber(),
    gradientNorm: gradientNorm.toNumber(),
  };
  for (const tensor of [loss, largestLogit, gradientNorm]) tensor.dispose();
  return figures;
}

function remark({ progress: { lossSum, updates, seconds, waitSeconds } }: Session): string {
  const loss = lossSum / Math.max(1, updates);
  return `loss ${loss.toFixed(4)}, ${Math.round((100 * waitSeconds) / seconds)}% waiting for images`;
}
