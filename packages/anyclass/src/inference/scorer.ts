// From decoded images to logits: the one path of validation, evaluation and prediction.

import { sigmoid } from '@anyclass/core';
import { captureStep, noGrad, type Tensor, tidy } from '@anyclass/torch';
import { deviceImages, type ImageBatch } from '../data/deviceBatch.js';
import type { PixelFormat } from '../data/images/decode.js';
import type { ImageReading } from '../data/images/unpack.js';
import { pixelFormat } from '../data/preparation.js';
import type { Network } from '../networks/network.js';
import { type ComputeSettings, inPrecision } from './computeDevice.js';

export interface Scorer {
  /** How images must be decoded. */
  readonly format: PixelFormat;
  /** Logits [batch, classes], read back. */
  score(batch: ImageBatch): Float32Array | Promise<Float32Array>;
}

export interface ScorerOptions extends ComputeSettings, ImageReading {
  /** Full batches are one captured graph on a GPU. */
  readonly batchSize: number;
  /** Other sizes of batches that are captured as well; default none. */
  readonly capturedSizes?: readonly number[] | undefined;
  /** 1: images are decoded to gray, which the network sees on three channels. */
  readonly channels: 1 | 3;
  readonly mean: readonly number[];
  readonly std: readonly number[];
}

/**
 * What turns decoded images into logits with a network, which should be on the device and in evaluation mode.
 *
 * @example
 * const scorer = createScorer(network, { device: 'cpu', precision: 'float32', batchSize: 64, channels: 3, mean, std });
 * scorer.score({ size: 64, images: bytes }).length // 64 times the classes
 */
export function createScorer(network: Network, options: ScorerOptions): Scorer {
  const { batchSize, capturedSizes = [], mean, std, device } = options;
  const format = pixelFormat(network.options.inputSize, options);
  const forward = (images: Tensor) =>
    noGrad(() => inPrecision(options, () => network.forward(images)).to('float32'));
  const captured = new Map(
    [batchSize, ...capturedSizes].map((size) => [size, captureStep((images) => [forward(images!)])]),
  );
  return {
    format,
    score: (batch) =>
      tidy(() => {
        const images = deviceImages(batch, { format, device, mean, std });
        const [logits] = captured.get(batch.size)?.(images) ?? [forward(images)];
        return logits!.toFloat32Array();
      }),
  };
}

/**
 * Batches with their logits, one after another; each is disposed of when the next is asked for, and other work of the
 * process gets its turn in between.
 *
 * @example
 * for await (const { batch, logits } of scoredBatches(loader.epoch(0), scorer)) console.log(batch.size, logits);
 */
export async function* scoredBatches<Images extends ImageBatch & Disposable>(
  batches: AsyncIterable<Images>,
  scorer: Scorer,
): AsyncGenerator<{ readonly batch: Images; readonly logits: Float32Array }> {
  for await (using batch of batches) {
    yield { batch, logits: batch.size > 0 ? await scorer.score(batch) : new Float32Array(0) };
    await new Promise(setImmediate);
  }
}

/** The probabilities of logits. */
export function probabilities(logits: Float32Array): Float32Array {
  return logits.map((logit) => sigmoid(logit));
}
