// Reads the metrics of steps from the device late and in groups: reading one waits for the GPU, which would
// then wait for us.

import type { ActiveRun } from './activeRun.js';
import { divergence, isHealthy, type StepMetrics } from './divergence.js';
import type { Session } from './session.js';
import type { StepOutcome } from './trainingStep.js';

export interface StepMetricReader {
  /** `areMixed` if images of the batch were mixed with one another. */
  add(outcome: StepOutcome, step: number, rows: Int32Array, areMixed: boolean): void;
  /** Number of steps that have not been read yet. */
  readonly waiting: number;
  /** Whether enough steps are waiting that they should be read. */
  areDue(): boolean;
  /** Adds the waiting steps to the session's progress; throws a detailed error if a step diverged. */
  read(): void;
}

const stepsBetweenReads = { cpu: 1, cuda: 25 };

export function stepMetrics(session: Session, run: ActiveRun): StepMetricReader {
  const { progress, network, data, settings, scaler } = session;
  const readEvery = stepsBetweenReads[settings.device === 'cpu' ? 'cpu' : 'cuda'];
  const unread: {
    readonly outcome: StepOutcome;
    readonly step: number;
    readonly rows: Int32Array;
    readonly areMixed: boolean;
  }[] = [];
  return {
    add: (outcome, step, rows, areMixed) => unread.push({ outcome, step, rows: rows.slice(), areMixed }),
    get waiting() {
      return unread.length;
    },
    areDue: () => unread.length >= readEvery,
    read() {
      for (const { outcome, step, rows, areMixed } of unread.splice(0)) {
        const metrics = metricsOf(outcome);
        if (!isHealthy(metrics, scaler.enabled)) {
          throw divergence(metrics, {
            epoch: progress.epoch + 1,
            step: step + 1,
            names: Array.from(rows, (row) => data.dataset.names.at(row)),
            network,
            lastCheckpoint: run.lastCheckpoint,
          });
        }
        // Mixed images show more than their own labels.
        if (!areMixed) session.margins?.add(rows, outcome.logits.toTypedArray());
        outcome.logits.dispose();
        progress.updates++;
        progress.lossSum += metrics.loss;
        progress.images += metrics.images;
      }
    },
  };
}

function metricsOf({
  loss,
  largestLogit,
  gradientNorm,
  images,
}: StepOutcome): StepMetrics & { images: number } {
  const metrics = {
    loss: loss.toNumber(),
    largestLogit: largestLogit.toNumber(),
    gradientNorm: gradientNorm.toNumber(),
    images: images.toNumber(),
  };
  for (const tensor of [loss, largestLogit, gradientNorm, images]) tensor.dispose();
  return metrics;
}
