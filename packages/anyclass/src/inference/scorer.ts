// Computes logits from decoded images or feature vectors: one path for validation, evaluation and prediction.

import { sigmoid } from '@anyclass/core';
import { captureStep, noGrad, type Tensor, tidy } from '@anyclass/torch';
import { deviceFeatures, deviceImages, type InputBatch } from '../data/batches/deviceBatch.js';
import { type InputFormat, type ModelInput, takesFeatures } from '../data/dataset/inputs.js';
import { pixelFormat } from '../data/dataset/preparation.js';
import type { Network } from '../networks/network.js';
import { type ComputeSettings, inPrecision } from './computeDevice.js';
import { withMemoryAdvice } from './memory.js';

export interface Scorer {
  /** How images must be decoded, or how many features there are. */
  readonly format: InputFormat;
  /** Returns logits [batch, classes] in CPU memory. */
  score(batch: InputBatch): Float32Array | Promise<Float32Array>;
}

export interface ScorerOptions extends ComputeSettings {
  /** Full batches use a captured graph on a GPU. */
  readonly batchSize: number;
  /** Other batch sizes to capture as well; default none. */
  readonly capturedSizes?: readonly number[] | undefined;
  readonly input: ModelInput;
  /** `embedding` returns the input of the last layer instead of the logits. Default `logits`. */
  readonly output?: 'logits' | 'embedding' | undefined;
}

/**
 * Creates a scorer that turns decoded images or feature vectors into logits. The network should be on the
 * device and in evaluation mode.
 *
 * @example
 * const scorer = createScorer(network, { device: 'cpu', precision: 'float32', batchSize: 64, input: { channels: 3, mean, std } });
 * scorer.score({ size: 64, images: bytes }).length // 64 times the classes
 */
export function createScorer(network: Network, options: ScorerOptions): Scorer {
  const { batchSize, capturedSizes = [], input, device } = options;
  const { format, toDevice } = arrival(network, input, device);
  const forward = (images: Tensor) =>
    noGrad(() => inPrecision(options, () => computed(network, images, options.output)).to('float32'));
  const captured = new Map(
    [batchSize, ...capturedSizes].map((size) => [size, captureStep((images) => [forward(images!)])]),
  );
  return {
    format,
    score: (batch) =>
      withMemoryAdvice(
        () =>
          tidy(() => {
            const images = toDevice(batch);
            const [logits] = captured.get(batch.size)?.(images) ?? [forward(images)];
            return logits!.toFloat32Array();
          }),
        () => ({
          what: `a batch of ${batch.size} at input size ${network.options.inputSize} in ${network.name}`,
          advice: 'lower the batch size, or use a smaller network or input size',
        }),
      ),
  };
}

function computed(network: Network, images: Tensor, output: ScorerOptions['output']): Tensor {
  return output === 'embedding' ? network.embedding(images) : network.forward(images);
}

/** The format of the instances, and how they are moved to the device. */
export function arrival(
  { options: { inputSize }, imageSize }: Network,
  input: ModelInput,
  device: ComputeSettings['device'],
): { readonly format: InputFormat; readonly toDevice: (batch: InputBatch) => Tensor } {
  if (takesFeatures(input)) {
    const format = { features: inputSize };
    return { format, toDevice: (batch) => deviceFeatures(batch, format, device) };
  }
  const { mean, std } = input;
  const format = pixelFormat(imageSize, input);
  return { format, toDevice: (batch) => deviceImages(batch, { format, device, mean, std }) };
}

/**
 * Yields batches with their logits. Each batch is disposed when the next is requested, and other work of the
 * process gets a turn in between.
 *
 * @example
 * for await (const { batch, logits } of scoredBatches(loader.epoch(0), scorer)) console.log(batch.size, logits);
 */
export async function* scoredBatches<Images extends InputBatch & Disposable>(
  batches: AsyncIterable<Images>,
  scorer: Scorer,
): AsyncGenerator<{ readonly batch: Images; readonly logits: Float32Array }> {
  for await (using batch of batches) {
    yield { batch, logits: batch.size > 0 ? await scorer.score(batch) : new Float32Array(0) };
    await new Promise(setImmediate);
  }
}

/** Applies the sigmoid to logits. */
export function probabilities(logits: Float32Array): Float32Array {
  return logits.map((logit) => sigmoid(logit));
}
