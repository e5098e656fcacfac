// Computes logits from decoded images or feature vectors: one path for validation, evaluation and prediction.

import { sigmoid } from '@anyclass/core';
import { CudaEvent, captureStep, empty, keep, noGrad, type Tensor, tidy } from '@anyclass/torch';
import { deviceFeatures, deviceImages, type InputBatch } from '../data/batches/deviceBatch.js';
import { type InputFormat, type ModelInput, takesFeatures } from '../data/dataset/inputs.js';
import { pixelFormat } from '../data/dataset/preparation.js';
import type { Network } from '../networks/network.js';
import { type ComputeSettings, inPrecision } from './computeDevice.js';
import { withMemoryAdvice } from './memory.js';

export interface Scorer {
  /** How images must be decoded, or how many features there are. */
  readonly format: InputFormat;
  score(batch: InputBatch): Scores | Promise<Scores>;
  /**
   * On a GPU: starts the computation and returns at once, so that the next batch can be prepared meanwhile and started behind it. The
   * batch's memory may be used again.
   */
  start?(batch: InputBatch): StartedScores;
}

/** In CPU memory, row by row. */
export interface Scores {
  /** [batch, classes]. */
  readonly logits: Float32Array;
  /** [batch, width], if they were asked for; a guard needs them. */
  readonly embeddings?: Float32Array | undefined;
}

/** Scores that the GPU may still be computing. Disposing of them releases their memory. */
export interface StartedScores extends Disposable {
  readonly isDone: boolean;
  /** Waits for them if necessary. */
  read(): Scores;
}

export interface ScorerOptions extends ComputeSettings {
  /** Full batches use a captured graph on a GPU. */
  readonly batchSize: number;
  /** Other batch sizes to capture as well; default none. */
  readonly capturedSizes?: readonly number[] | undefined;
  readonly input: ModelInput;
  /** `embedding` returns the input of the last layer instead of the logits. Default `logits`. */
  readonly output?: 'logits' | 'embedding' | undefined;
  /** Whether scores have embeddings too. Default false. */
  readonly hasEmbeddings?: boolean | undefined;
}

/**
 * Creates a scorer that turns decoded images or feature vectors into logits. The network should be on the
 * device and in evaluation mode.
 *
 * @example
 * const scorer = createScorer(network, { device: 'cpu', precision: 'float32', batchSize: 64, input: { channels: 3, mean, std } });
 * (await scorer.score({ size: 64, inputs: bytes })).logits.length // 64 times the classes
 */
export function createScorer(network: Network, options: ScorerOptions): Scorer {
  const { batchSize, capturedSizes = [], input, device, hasEmbeddings = false } = options;
  const { format, toDevice } = arrival(network, input, device);
  const forward = (images: Tensor) =>
    noGrad(() =>
      inPrecision(options, () =>
        hasEmbeddings ? network.logitsAndEmbedding(images) : [computed(network, images, options.output)],
      ).map((output) => output.to('float32')),
    );
  const captured = new Map(
    [batchSize, ...capturedSizes].map((size) => [size, captureStep((images) => forward(images!))]),
  );
  /** Calls a function with the outputs, which are gone afterwards. */
  const compute = <Result>(batch: InputBatch, use: (outputs: readonly Tensor[]) => Result): Result =>
    withMemoryAdvice(
      () =>
        tidy(() => {
          const images = toDevice(batch);
          return use(captured.get(batch.size)?.(images) ?? forward(images));
        }),
      () => ({
        what: `a batch of ${batch.size} at input size ${network.options.inputSize} in ${network.name}`,
        advice: 'lower the batch size, or use a smaller network or input size',
      }),
    );
  if (device === 'cpu') return { format, score: (batch) => compute(batch, scoresOf) };
  const download = createDownload();
  const start = (batch: InputBatch) => compute(batch, download);
  return {
    format,
    start,
    score(batch) {
      using started = start(batch);
      return started.read();
    },
  };
}

function scoresOf([logits, embeddings]: readonly Tensor[]): Scores {
  return { logits: logits!.toFloat32Array(), embeddings: embeddings?.toFloat32Array() };
}

/** Copies outputs from the GPU behind the work that computes them, without waiting for either. */
function createDownload(): (outputs: readonly Tensor[]) => StartedScores {
  const spare: CudaEvent[] = [];
  return (outputs) => {
    // Into pinned memory: a copy to any other would wait.
    const copies = outputs.map((output) =>
      keep(empty(output.shape, { pinMemory: true }).copy_(output, true)),
    );
    const end = (spare.pop() ?? new CudaEvent()).record();
    return {
      get isDone() {
        return end.isPassed;
      },
      read() {
        end.synchronize();
        return scoresOf(copies);
      },
      [Symbol.dispose]() {
        // libtorch does not give a pinned block to others before the copies into it are done.
        for (const copy of copies) copy.dispose();
        spare.push(end);
      },
    };
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

/** Applies the sigmoid to logits. */
export function probabilities(logits: Float32Array): Float32Array {
  return logits.map((logit) => sigmoid(logit));
}
