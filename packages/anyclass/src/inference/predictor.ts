// A model at work: images in, probabilities and labels out, any number of them in the memory of two batches.

import { availableParallelism } from 'node:os';
import { calibrate } from '@anyclass/core';
import { tidy } from '@anyclass/torch';
import { deviceBatch } from '../data/deviceBatch.js';
import { decodeImage, type PixelFormat } from '../data/images/decode.js';
import { limiter } from '../data/loading/limiter.js';
import { changedPreparation, type PreparationChanges } from '../data/preparation.js';
import { reasonOf } from '../errors/reasonOf.js';
import { UserError } from '../errors/userError.js';
import { loadModel, type ModelDescription } from '../runs/modelFile.js';
import { type ComputeWishes, chooseCompute, moveNetwork } from './computeDevice.js';
import type { ImageInput } from './imageInputs.js';
import { createScorer, probabilities } from './scoreRows.js';

export interface Prediction {
  readonly name: string;
  /** One a class. */
  readonly probabilities: Float32Array;
  /** Classes at or above their thresholds; none means negative. */
  readonly labels: readonly string[];
}

/** An image that could not be read. */
export interface FailedPrediction {
  readonly name: string;
  readonly failure: string;
}

export interface Predictor extends Disposable {
  readonly description: ModelDescription;
  /** What labels are decided by, one a class. */
  readonly thresholds: readonly number[];
  /** Predictions in the order of the images. */
  predict(
    images: Iterable<ImageInput> | AsyncIterable<ImageInput>,
  ): AsyncGenerator<Prediction | FailedPrediction>;
}

export interface PredictorOptions extends Partial<Pick<ComputeWishes, 'device' | 'precision'>> {
  readonly batchSize?: number;
  /** For all classes, or 'fitted' (default): those that training fitted on validation, 0.5 where it did not. */
  readonly threshold?: number | 'fitted';
  /** Calibrate the probabilities as training fitted it; labels stay the same. Default false. */
  readonly calibrated?: boolean;
  /** In place of how the model's training prepared images. */
  readonly preparation?: PreparationChanges;
}

/**
 * Opens a model, or the folder of its run, for prediction.
 *
 * @example
 * using predictor = openPredictor('runs/sewer');
 * for await (const prediction of predictor.predict(imageInputs(['photos']))) console.log(prediction);
 */
export function openPredictor(model: string, options: PredictorOptions = {}): Predictor {
  const {
    device = 'auto',
    precision = 'auto',
    batchSize = 32,
    threshold = 'fitted',
    calibrated = false,
  } = options;
  if (threshold !== 'fitted' && !(threshold >= 0 && threshold <= 1)) {
    throw new UserError(`threshold is ${threshold}; expected a number from 0 to 1, or 'fitted'`);
  }
  const settings = chooseCompute({ device, precision });
  const { network, description } = loadModel(model);
  const { classes, calibration } = description;
  if (calibrated && !calibration) {
    network.dispose();
    throw new UserError(`${model}: was trained without calibration`);
  }
  const { channels, mean, std } = changedPreparation(description, options.preparation ?? {});
  moveNetwork(network, settings.device);
  const score = createScorer(network, { ...settings, batchSize });
  const side = network.options.inputSize;
  const format: PixelFormat = { width: side, height: side, channels };
  const thresholds =
    threshold === 'fitted'
      ? (description.thresholds?.values ?? classes.map(() => 0.5))
      : classes.map(() => threshold);
  // Scores are float32, and so is what they are compared with.
  const limits = thresholds.map(Math.fround);

  const probabilitiesOf = (images: readonly Uint8Array[]): Float32Array => {
    const pixels = new Uint8Array(images.length * side * side * channels);
    for (const [i, image] of images.entries()) pixels.set(image, i * image.length);
    const batch = {
      epoch: 0,
      step: 0,
      size: images.length,
      images: pixels,
      targets: new Uint8Array(images.length),
      indices: new Int32Array(images.length),
      [Symbol.dispose]: () => {},
    };
    const { device: place } = settings;
    return probabilities(tidy(() => score(deviceBatch(batch, { format, device: place, mean, std }).images)));
  };

  return {
    description,
    thresholds,
    async *predict(images) {
      for await (const decoded of decodedBatches(images, format, batchSize)) {
        const readable = decoded.flatMap((image) => ('pixels' in image ? [image.pixels] : []));
        const raw = readable.length > 0 ? probabilitiesOf(readable) : new Float32Array(0);
        const shown =
          calibrated && calibration ? Float32Array.from(calibrate(raw, classes, calibration)) : raw;
        let row = 0;
        for (const image of decoded) {
          if ('failure' in image) {
            yield image;
            continue;
          }
          const at = row++ * classes.length;
          yield {
            name: image.name,
            probabilities: shown.slice(at, at + classes.length),
            labels: classes.filter((_, j) => raw[at + j]! >= limits[j]!),
          };
        }
      }
    },
    [Symbol.dispose]: () => network.dispose(),
  };
}

type Decoded = { readonly name: string; readonly pixels: Uint8Array } | FailedPrediction;

/** Batches of decoded images; the next is read and decoded while one is in use. */
async function* decodedBatches(
  images: Iterable<ImageInput> | AsyncIterable<ImageInput>,
  format: PixelFormat,
  batchSize: number,
): AsyncGenerator<Decoded[]> {
  const limited = limiter(2 * availableParallelism());
  const source = inOrder(images);
  const take = async (): Promise<Decoded[]> => {
    const work: Promise<Decoded>[] = [];
    while (work.length < batchSize) {
      const next = await source.next();
      if (next.done) break;
      work.push(limited(() => decode(next.value, format)));
    }
    return Promise.all(work);
  };
  try {
    for (let ahead = take(); ; ) {
      const batch = await ahead;
      if (batch.length === 0) return;
      ahead = take();
      ahead.catch(() => {}); // awaited in its turn
      yield batch;
    }
  } finally {
    await source.return(undefined);
  }
}

async function* inOrder(
  images: Iterable<ImageInput> | AsyncIterable<ImageInput>,
): AsyncGenerator<ImageInput> {
  yield* images;
}

async function decode({ name, read }: ImageInput, format: PixelFormat): Promise<Decoded> {
  try {
    return { name, pixels: await decodeImage(await read(), format) };
  } catch (error) {
    return { name, failure: reasonOf(error) };
  }
}
