// A network's probabilities for rows of a dataset.

import { sigmoid } from '@anyclass/core';
import { captureStep, noGrad, type Tensor, tidy } from '@anyclass/torch';
import type { Dataset } from '../data/dataset.js';
import { deviceBatch } from '../data/deviceBatch.js';
import type { PixelSource } from '../data/images/pixelSource.js';
import { UNKNOWN } from '../data/labelMatrix.js';
import { createLoader } from '../data/loading/loader.js';
import type { Quarantined } from '../events/runSummary.js';
import type { Network } from '../networks/network.js';
import { type ComputeSettings, inPrecision } from './computeDevice.js';

/** Logits of images, [batch, classes], read back. */
export type Scorer = (images: Tensor) => Float32Array;

/**
 * What turns images into logits; on a GPU, full batches are one captured graph.
 *
 * @example
 * const score = createScorer(network, { device: 'cpu', precision: 'float32', batchSize: 64 });
 * score(images).length // 64 times the classes
 */
export function createScorer(
  network: Network,
  { batchSize, ...settings }: ComputeSettings & { readonly batchSize: number },
): Scorer {
  const forward = (images: Tensor) =>
    noGrad(() => inPrecision(settings, () => network.forward(images)).to('float32'));
  const captured = captureStep((images) => [forward(images!)]);
  return (images) =>
    tidy(() => {
      const [logits] = images.shape[0] === batchSize ? captured(images) : [forward(images)];
      return logits!.toFloat32Array();
    });
}

export interface ScoreOptions {
  readonly rows: Int32Array;
  readonly batchSize: number;
  readonly mean: readonly number[];
  readonly std: readonly number[];
  readonly strict?: boolean;
  readonly signal?: AbortSignal | undefined;
  /** Called with the number of rows that are done, read or not; first with 0. */
  readonly onProgress?: (done: number) => void;
}

/** Rows that could be read, with their logits and labels. */
export interface ScoredRows {
  readonly rows: Int32Array;
  readonly logits: Float32Array;
  /** 1, 0, or NaN where unknown. */
  readonly targets: Float32Array;
  readonly quarantined: readonly Quarantined[];
}

/**
 * Scores rows of a dataset in their order. The network should be in evaluation mode.
 *
 * @example
 * const scored = await scoreRows(score, dataset, pixels, { rows: dataset.splits.test, batchSize: 64, mean, std });
 */
export async function scoreRows(
  score: Scorer,
  settings: ComputeSettings,
  dataset: Dataset,
  pixels: PixelSource,
  options: ScoreOptions,
): Promise<ScoredRows> {
  const { rows, batchSize, mean, std, strict = false, signal, onProgress } = options;
  const classes = dataset.classes.length;
  const loader = createLoader(dataset, pixels, { rows, batchSize, strict });
  const scored = new Int32Array(rows.length);
  const logits = new Float32Array(rows.length * classes);
  const targets = new Float32Array(rows.length * classes);
  let count = 0;
  onProgress?.(0);
  for await (using batch of loader.epoch(0, signal ? { signal } : {})) {
    if (batch.size > 0) {
      const values = tidy(() =>
        score(deviceBatch(batch, { format: pixels.format, device: settings.device, mean, std }).images),
      );
      scored.set(batch.indices, count);
      logits.set(values, count * classes);
      batch.targets.forEach((label, i) => {
        targets[count * classes + i] = label === UNKNOWN ? Number.NaN : label;
      });
      count += batch.size;
    }
    onProgress?.(Math.min(rows.length, (batch.step + 1) * batchSize));
    await new Promise(setImmediate);
  }
  return {
    rows: scored.slice(0, count),
    logits: logits.slice(0, count * classes),
    targets: targets.slice(0, count * classes),
    quarantined: loader.quarantined(),
  };
}

/** The probabilities of logits. */
export function probabilities(logits: Float32Array): Float32Array {
  return logits.map((logit) => sigmoid(logit));
}

/** The mean binary cross-entropy over all known labels. */
export function plainBce(logits: Float32Array, targets: Float32Array): number {
  let sum = 0;
  let known = 0;
  logits.forEach((logit, i) => {
    const target = targets[i]!;
    if (Number.isNaN(target)) return;
    sum += Math.max(logit, 0) - logit * target + Math.log1p(Math.exp(-Math.abs(logit)));
    known++;
  });
  return known === 0 ? Number.NaN : sum / known;
}
