// Chooses images of an unlabeled folder that are worth a look.

import { resolve } from 'node:path';
import { nearestToGate, poolFactor, presenceProbability, spreadRows } from '@anyclass/core';
import { isFeatureFormat } from '../data/dataset/inputs.js';
import { UserError } from '../errors/userError.js';
import { openEmbeddingModel } from '../export/embedding/embeddingModel.js';
import { decodedBatches } from '../inference/decodedBatches.js';
import { fileInput, imageInputs } from '../inference/imageInputs.js';
import { openPredictor } from '../inference/predictor.js';
import { scoredBatches } from '../inference/scoredBatches.js';
import { type ImageQueue, likeliestFirst, type QueuedImage } from './imageQueue.js';

export interface QueueOptions {
  /** How many images. Default 200. */
  readonly count?: number | undefined;
  readonly device?: string | undefined;
  readonly batchSize?: number | undefined;
  /** Told about images that cannot be read. */
  readonly onSkipped?: ((name: string, reason: string) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Finds the likely false alarms of a folder that holds next to no positives: what alarms, the surest first.
 *
 * @throws UserError if no image can be read
 *
 * @example
 * const queue = await mineImages('runs/sewer', ['new'], { count: 100 });
 */
export async function mineImages(
  model: string,
  paths: readonly string[],
  options: QueueOptions = {},
): Promise<ImageQueue> {
  const { images, classes } = await predicted(model, paths, options);
  const { count = 200 } = options;
  const likely = images.map(({ image }) => image).sort(likeliestFirst);
  return {
    queue: 'mine',
    model: resolve(model),
    classes,
    among: images.length,
    images: likely.slice(0, count),
  };
}

/**
 * Selects what to label next: images next to the gate, where the model is least sure, spread by their embeddings.
 *
 * @throws UserError if no image can be read, or the model has no embeddings
 *
 * @example
 * const queue = await selectImages('runs/sewer', ['new'], { count: 100 });
 */
export async function selectImages(
  model: string,
  paths: readonly string[],
  options: QueueOptions = {},
): Promise<ImageQueue> {
  const { images, classes, gate } = await predicted(model, paths, options);
  const { count = 200 } = options;
  const presence = Float64Array.from(images, ({ presenceScore }) => presenceScore);
  const pool = nearestToGate(presence, gate, poolFactor * count);
  const near = pool.map((row) => images[row]!.image);
  const { values, width } = await embeddingsOf(model, near, options);
  const chosen = spreadRows(values, width, count).map((row) => near[row]!);
  return { queue: 'select', model: resolve(model), classes, among: images.length, images: chosen };
}

async function predicted(model: string, paths: readonly string[], options: QueueOptions) {
  const { device = 'auto', batchSize = 32, onSkipped = () => {}, signal } = options;
  using predictor = await openPredictor(model, { device, batchSize });
  const images: { image: QueuedImage; presenceScore: number }[] = [];
  for await (const prediction of predictor.predict(imageInputs(paths))) {
    signal?.throwIfAborted();
    if ('failure' in prediction) {
      onSkipped(prediction.name, prediction.failure);
      continue;
    }
    const { name, presenceScore, outcome, labels } = prediction;
    const presence = presenceProbability(presenceScore);
    images.push({ image: { image: resolve(name), presence, outcome, labels: [...labels] }, presenceScore });
  }
  if (images.length === 0) throw new UserError(`${paths.join(', ')}: no image could be read`);
  return { images, classes: [...predictor.description.classes], gate: predictor.decision.presence };
}

async function embeddingsOf(
  model: string,
  images: readonly QueuedImage[],
  { device = 'auto', batchSize: wanted = 32, signal }: QueueOptions,
): Promise<{ readonly values: Float32Array; readonly width: number }> {
  using opened = await openEmbeddingModel(model, { device, batchSize: wanted });
  const { scorer, width, batchSize } = opened;
  if (isFeatureFormat(scorer.format))
    throw new UserError(`${model} takes features; select needs one of images`);
  const values = new Float32Array(images.length * width);
  let row = 0;
  const inputs = images.map(({ image }) => fileInput(image));
  for await (const { batch, logits } of scoredBatches(
    decodedBatches(inputs, scorer.format, batchSize),
    scorer,
  )) {
    signal?.throwIfAborted();
    let at = 0;
    for (const { failure } of batch.entries) {
      // What was removed meanwhile is like nothing else.
      if (failure === undefined) {
        const own = logits.subarray(at * width, (at + 1) * width);
        let square = 0;
        for (const value of own) square += value * value;
        const length = Math.sqrt(square) || 1;
        for (let k = 0; k < width; k++) values[row * width + k] = own[k]! / length;
        at++;
      }
      row++;
    }
  }
  return { values, width };
}
