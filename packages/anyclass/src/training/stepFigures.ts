// Reads the figures of steps from the device late and in groups: reading one waits for the GPU, which would
// then wait for us.

import type { ActiveRun } from './activeRun.js';
import { divergence, isHealthy, type StepFigures } from './divergence.js';
import type { Session } from './session.js';
import type { StepOutcome } from './trainingStep.js';

export interface StepFigureReader {
  add(outcome: StepOutcome, step: number, rows: Int32Array): void;
  /** Number of steps that have not been read yet. */
  readonly waiting: number;
  /** Whether enough steps are waiting that they should be read. */
  areDue(): boolean;
  /** Adds the waiting steps to the session's progress; throws a detailed error if a step diverged. */
  read(): void;
}

const stepsBetweenReads = { cpu: 1, cuda: 25 };

export function stepFigures(session: Session, run: ActiveRun): StepFigureReader {
  const { progress, network, data, settings, scaler } = session;
  const readEvery = stepsBetweenReads[settings.device === 'cpu' ? 'cpu' : 'cuda'];
  const unread: { readonly outcome: StepOutcome; readonly step: number; readonly rows: Int32Array }[] = [];
  return {
    add: (outcome, step, rows) => unread.push({ outcome, step, rows }),
    get waiting() {
      return unread.length;
    },
    areDue: () => unread.length >= readEvery,
    read() {
      for (const { outcome, step, rows } of unread.splice(0)) {
        const figures = figuresOf(outcome);
        if (!isHealthy(figures, scaler.enabled)) {
          throw divergence(figures, {
            epoch: progress.epoch + 1,
            step: step + 1,
            names: Array.from(rows, (row) => data.dataset.names.at(row)),
            network,
            lastCheckpoint: run.lastCheckpoint,
          });
        }
        progress.updates++;
        progress.lossSum += figures.loss;
        progress.images += figures.images;
      }
    },
  };
}

function figuresOf({
  loss,
  largestLogit,
  gradientNorm,
  images,
}: StepOutcome): StepFigures & { images: number } {
  const figures = {
    loss: loss.toNumber(),
    largestLogit: largestLogit.toNumber(),
    gradientNorm: gradientNorm.toNumber(),
    images: images.toNumber(),
  };
  for (const tensor of [loss, largestLogit, gradientNorm, images]) tensor.dispose();
  return figures;
}
