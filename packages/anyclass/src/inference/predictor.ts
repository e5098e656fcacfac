// A model at work: images in, probabilities and labels out.

import { calibrate } from '@anyclass/core';
import { changedPreparation, type PreparationChanges } from '../data/preparation.js';
import { UserError } from '../errors/userError.js';
import { loadModel, type ModelDescription } from '../runs/modelFile.js';
import { type ComputeWishes, chooseCompute, moveNetwork } from './computeDevice.js';
import { decodedBatches } from './decodedBatches.js';
import { fileInput, type ImageInput } from './imageInputs.js';
import { createScorer, probabilities, scoredBatches } from './scorer.js';

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

/** One image by class names. */
export interface NamedPrediction {
  readonly labels: readonly string[];
  readonly isNegative: boolean;
  readonly probabilities: Readonly<Record<string, number>>;
}

export interface Predictor extends Disposable {
  readonly description: ModelDescription;
  /** What labels are decided by, one a class. */
  readonly thresholds: readonly number[];
  /** Predictions in the order of the images. */
  predict(
    images: Iterable<ImageInput> | AsyncIterable<ImageInput>,
  ): AsyncGenerator<Prediction | FailedPrediction>;
  /**
   * One image: the bytes of its file, or its path.
   *
   * @throws UserError where it cannot be read
   */
  predictOne(image: Uint8Array | string): Promise<NamedPrediction>;
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
 * using predictor = await openPredictor('runs/sewer');
 * (await predictor.predictOne('photos/pipe-12.jpg')).probabilities // { crack: 0.93, roots: 0.02 }
 * for await (const prediction of predictor.predict(imageInputs(['photos']))) console.log(prediction);
 */
export async function openPredictor(model: string, options: PredictorOptions = {}): Promise<Predictor> {
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
  const scorer = createScorer(network, { ...settings, batchSize, channels, mean, std });
  const thresholds =
    threshold === 'fitted'
      ? (description.thresholds?.values ?? classes.map(() => 0.5))
      : classes.map(() => threshold);
  // Scores are float32, and so is what they are compared with.
  const limits = thresholds.map(Math.fround);

  async function* predict(
    images: Iterable<ImageInput> | AsyncIterable<ImageInput>,
  ): AsyncGenerator<Prediction | FailedPrediction> {
    const batches = decodedBatches(images, scorer.format, batchSize);
    for await (const { batch, logits } of scoredBatches(batches, scorer)) {
      const raw = probabilities(logits);
      const shown = calibrated && calibration ? Float32Array.from(calibrate(raw, classes, calibration)) : raw;
      let row = 0;
      for (const { image, failure } of batch.entries) {
        if (failure !== undefined) {
          yield { name: image.name, failure };
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
  }

  return {
    description,
    thresholds,
    predict,
    async predictOne(image) {
      const input = typeof image === 'string' ? fileInput(image) : bytesInput(image);
      for await (const prediction of predict([input])) {
        if ('failure' in prediction) throw new UserError(`${prediction.name}: ${prediction.failure}`);
        const { labels, probabilities: values } = prediction;
        return {
          labels,
          isNegative: labels.length === 0,
          probabilities: Object.fromEntries(classes.map((name, j) => [name, values[j]!])),
        };
      }
      throw new Error('an image gave no prediction');
    },
    [Symbol.dispose]: () => network.dispose(),
  };
}

function bytesInput(bytes: Uint8Array): ImageInput {
  return { name: 'the image', read: async () => ({ kind: 'encoded', bytes }) };
}
