// An opened model that predicts images or feature vectors in batches.

import { availableParallelism } from 'node:os';
import type { OddReason, Outcome } from '@anyclass/core';
import { type BatchDraft, createAssembler } from '../../data/batches/assembler.js';
import type { StoredImage } from '../../data/dataset/imageSource.js';
import { floatsOf, inputBytes, isFeatureFormat, takesFeatures } from '../../data/dataset/inputs.js';
import { PixelLimitError } from '../../data/dataset/reading/pixelLimit.js';
import { createDecoder } from '../../data/images/decoding/decoder.js';
import { checkDeclared, ImageFormatError } from '../../data/images/decoding/untrusted.js';
import { jpegFrame } from '../../data/images/formats/jpegFrame.js';
import { limiter } from '../../data/images/limiter.js';
import { MachineError } from '../../data/images/storage/storage.js';
import { counted } from '../../errors/counted.js';
import { DataError } from '../../errors/dataError.js';
import { UserError } from '../../errors/userError.js';
import { vectorOf } from '../../inference/vectorInputs.js';
import { Problem, type ProblemKind } from '../../web/problem.js';
import { createBatcher } from './batcher.js';
import type { Cancellation } from './cancellation.js';
import type { InferenceThread } from './inferenceThread.js';
import type { ImageExplanation, OpenedModel } from './workerMessages.js';

/** Seconds that decoding an image may take; the largest allowed ones take about three. */
const decodeSeconds = 15;

/** A row of a table: its features in the model's order or by name; NaN for a missing one. */
export interface FeatureRow {
  readonly kind: 'row';
  readonly values: readonly number[] | Readonly<Record<string, number>>;
}

/** A model's output for one image or row. */
export interface ImageAnswer {
  readonly logits: Float32Array;
  readonly probabilities: Float32Array;
  readonly presenceScore: number;
  /** One per class; 1 if it is predicted. */
  readonly labels: Uint8Array;
  readonly outcome: Outcome;
  /** Why the image is odd; undefined for a usual one. */
  readonly odd?: OddReason | undefined;
  /** Heat maps, if they were asked for. */
  readonly explanation?: ImageExplanation | undefined;
}

export interface PredictOptions {
  /** Whether to compute heat maps too. */
  readonly explain?: boolean;
}

export interface ModelVersion {
  readonly model: OpenedModel;
  readonly openedAt: Date;
  /**
   * Predicts one image or row.
   *
   * @throws Problem if the image cannot be read or exceeds a limit, or the row does not fit the model
   */
  predict(
    input: StoredImage | FeatureRow,
    cancellation: Cancellation,
    options?: PredictOptions,
  ): Promise<ImageAnswer>;
  /** Closes the model once the last image is answered. */
  close(): Promise<void>;
}

interface WaitingImage {
  readonly draft: BatchDraft;
  readonly since: number;
  readonly isExplained: boolean;
}

/** Receives a version's timings, in seconds. */
export interface VersionListener {
  decoded(seconds: number): void;
  waited(seconds: number): void;
  computed(images: number, seconds: number): void;
}

export interface VersionOptions {
  readonly maxBatch: number;
  readonly maxDelay: number;
  readonly maxPixels: number;
  readonly listener: VersionListener;
  /** Runs a batch when the device is free for it; see `deviceGate`. */
  turn<T>(work: () => Promise<T>): Promise<T>;
}

export function createVersion(thread: InferenceThread, options: VersionOptions): ModelVersion {
  const { model, pixels } = thread;
  const { maxDelay, maxPixels, listener, turn } = options;
  const { format, description } = model;
  const stride = inputBytes(format);
  const classes = description.classes.length;
  const untrusted = { mostPixels: maxPixels, seconds: decodeSeconds };
  const decoder = isFeatureFormat(format)
    ? undefined
    : createDecoder({ ...format, pixelLimit: maxPixels }, untrusted);
  const assembler = createAssembler({
    stride,
    capacity: 1,
    // More than the number of cores, so that the decoder has work while this thread handles a burst of requests.
    threads: 8 * availableParallelism(),
    within: pixels,
  });
  // Each image has a slot from decoding to its answer; the next ones wait for one.
  const withSlot = limiter(Math.floor(pixels.length / stride));
  let inUse = 0;
  let onIdle: (() => void) | undefined;

  const batcher = createBatcher<WaitingImage, ImageAnswer>({
    maxBatch: Math.min(options.maxBatch, thread.batchSize),
    maxDelay,
    mostStarted: thread.mostStarted,
    async compute(items) {
      const now = performance.now();
      for (const { since } of items) listener.waited((now - since) / 1000);
      const slots = items.map(({ draft }) => draft.index);
      const explained = items.flatMap(({ isExplained }, row) => (isExplained ? [row] : []));
      const answer = await turn(() => thread.score({ slots, ...(explained.length > 0 && { explained }) }));
      listener.computed(items.length, answer.seconds);
      return items.map((_, row) => {
        const [from, to] = [row * classes, (row + 1) * classes];
        return {
          logits: answer.logits.subarray(from, to),
          probabilities: answer.probabilities.subarray(from, to),
          presenceScore: answer.presence[row]!,
          outcome: answer.outcomes[row]!,
          odd: answer.odd?.[row],
          labels: answer.labels.subarray(from, to),
          explanation: answer.explanations?.get(row),
        };
      });
    },
    release: ({ draft }) => draft[Symbol.dispose](),
  });

  const decode = async (
    image: StoredImage | FeatureRow,
    into: readonly [bytes: Uint8Array, offset: number],
    cancellation: Cancellation,
  ) => {
    cancellation.throwIfCanceled();
    const start = performance.now();
    if (image.kind === 'row') {
      const features = rowFeatures(image, model);
      floatsOf(...into, features.length).set(features);
      return;
    }
    if (!decoder)
      throw new Problem('wrong-type', 'the model takes rows of features; send JSON with row or rows');
    if (image.kind === 'encoded') checkUpload(image.bytes, maxPixels);
    await decoder.decodeInto(image, ...into);
    listener.decoded((performance.now() - start) / 1000);
  };

  const predict = async (
    image: StoredImage | FeatureRow,
    cancellation: Cancellation,
    { explain = false }: PredictOptions,
  ): Promise<ImageAnswer> => {
    if (explain && !model.explains) {
      throw new Problem(
        'wrong-type',
        'this model has no heat maps: serve a run or a model.safetensors that takes images, or leave out explain',
      );
    }
    cancellation.throwIfCanceled();
    const draft = assembler.begin();
    try {
      await draft.add((...into) => decode(image, into, cancellation));
      cancellation.throwIfCanceled();
    } catch (error) {
      draft[Symbol.dispose]();
      throw error instanceof DataError ? new Problem(problemKind(error), error.message) : error;
    }
    return batcher.add({ draft, since: performance.now(), isExplained: explain }, cancellation);
  };

  return {
    model,
    openedAt: new Date(),
    async predict(image, cancellation, options = {}) {
      inUse += 1;
      try {
        return await withSlot(() => predict(image, cancellation, options));
      } finally {
        inUse -= 1;
        if (inUse === 0) onIdle?.();
      }
    },
    async close() {
      if (inUse > 0) await new Promise<void>((done) => (onIdle = done));
      await Promise.all([decoder?.close(), thread.close()]);
    },
  };
}

/** Checks what costs nothing; the decoder checks everything that is not a JPEG. */
function checkUpload(bytes: Uint8Array, maxPixels: number): void {
  if (bytes.length === 0) throw new DataError('the image is empty');
  const frame = jpegFrame(bytes);
  if (frame) checkDeclared(frame, maxPixels);
}

function problemKind(error: DataError): ProblemKind {
  if (error instanceof PixelLimitError) return 'too-large';
  if (error instanceof ImageFormatError) return 'wrong-type';
  return error instanceof MachineError ? 'unavailable' : 'unreadable';
}

/** Returns the numbers of a row in the order of the model's features. */
function rowFeatures({ values }: FeatureRow, { description }: OpenedModel): ArrayLike<number> {
  if (!takesFeatures(description))
    throw new Problem('wrong-type', 'the model takes images, not rows of features');
  try {
    const { features } = vectorOf(values, description.features, 'send null');
    const count = description.features.length;
    const wrong = Array.from(features).find(
      (value) => Math.abs(Math.fround(value)) === Number.POSITIVE_INFINITY,
    );
    if (wrong !== undefined) throw new UserError(`${wrong} exceeds the range of single precision (3.4e38)`);
    if (features.length === count) return features;
    throw new UserError(`the row has ${counted(features.length, 'feature')}; the model takes ${count}`);
  } catch (error) {
    if (error instanceof UserError) throw new Problem('unreadable', error.message);
    throw error;
  }
}
