// Prediction with a model: images or feature vectors in, probabilities and labels out.

import {
  type Decision,
  guardedOutcome,
  type OddReason,
  type Outcome,
  presenceProbability,
} from '@anyclass/core';
import { isFeatureFormat, takesFeatures } from '../data/dataset/inputs.js';
import { lineAbout } from '../errors/escaped.js';
import { UserError } from '../errors/userError.js';
import type { ModelDescription } from '../runs/modelFile.js';
import { decideLogits } from './decideLogits.js';
import { decodedBatches, inOrder } from './decodedBatches.js';
import type { ImageInput } from './imageInput.js';
import { fileInput } from './imageInputs.js';
import { type ChosenDecision, modelDecision, type UsedDecision } from './modelDecision.js';
import { type ModelScorerOptions, openModelScorer } from './modelScorer.js';
import { oddRowsOf } from './oddRows.js';
import { scoredBatches } from './scoredBatches.js';
import {
  type FailedInput,
  type VectorBatch,
  type VectorInput,
  vectorBatches,
  vectorOf,
} from './vectorInputs.js';

export interface Prediction {
  readonly name: string;
  /** One per class, calibrated if training found that it helps. */
  readonly probabilities: Float32Array;
  /** Compared with the gate; ranks images by how likely it is that any class is present. */
  readonly presenceScore: number;
  /**
   * Whether to alarm, to review or to clear it; review only if the decision limits missed positives too, or the model has a guard
   * and the image is odd.
   */
  readonly outcome: Outcome;
  /** Why the model's guard calls it odd; undefined for a usual image. */
  readonly odd?: OddReason | undefined;
  /** Classes that the decision predicts; none means negative. */
  readonly labels: readonly string[];
}

/** An image or a feature vector, or an input that could not be read. */
export type PredictorInput = ImageInput | VectorInput | FailedInput;

/** An image that could not be read. */
export interface FailedPrediction {
  readonly name: string;
  readonly failure: string;
}

/** The prediction for one image by class name, and how it was decided. */
export interface NamedPrediction {
  readonly labels: readonly string[];
  readonly outcome: Outcome;
  /** Why the image is odd; omitted for a usual one. */
  readonly odd?: OddReason;
  readonly isNegative: boolean;
  readonly probabilities: Readonly<Record<string, number>>;
  /** The probability that any class is present, and the smallest that passes the gate. */
  readonly presence: { readonly probability: number; readonly gate: number; readonly passes: boolean };
  /** The probability from which each class is predicted if the image passes the gate; null for never. */
  readonly thresholds: Readonly<Record<string, number | null>>;
}

export interface Predictor extends Disposable {
  readonly description: ModelDescription;
  /** How labels are decided. */
  readonly decision: Decision;
  /** Notes for the user: that the model file has no checksums, or how the decision was refitted. */
  readonly remarks: readonly string[];
  /** Predictions in the order of the images or vectors. */
  predict(
    inputs: Iterable<PredictorInput> | AsyncIterable<PredictorInput>,
  ): AsyncGenerator<Prediction | FailedPrediction>;
  /**
   * Predicts one image, given as the bytes of its file or its path. For a model of features, predicts one
   * vector, given as numbers in the order of `description.features` or by name.
   *
   * @throws UserError if it cannot be read
   */
  predictOne(
    input: Uint8Array | string | ArrayLike<number> | Readonly<Record<string, number>>,
  ): Promise<NamedPrediction>;
}

export interface PredictorOptions extends ModelScorerOptions {
  /** How labels are decided; by default the model's own decision. */
  readonly decision?: ChosenDecision | undefined;
}

/**
 * Opens a model for prediction: a run folder, its model.safetensors, or an exported .onnx (without libtorch).
 *
 * @example
 * using predictor = await openPredictor('runs/sewer', { decision: { budget: { falseAlarms: 0.02 } } });
 * (await predictor.predictOne('photos/pipe-12.jpg')).labels // ['crack']
 * for await (const prediction of predictor.predict(imageInputs(['photos']))) console.log(prediction);
 */
export async function openPredictor(model: string, options: PredictorOptions = {}): Promise<Predictor> {
  const opened = await openModelScorer(model, options);
  const { description, scorer, batchSize } = opened;
  const { classes } = description;
  let used: UsedDecision;
  try {
    used = await modelDecision(model, description, options.decision);
  } catch (error) {
    opened[Symbol.dispose]();
    throw error;
  }
  const { decision } = used;
  const oddRows = oddRowsOf(description, scorer.format);

  const batchesOf = (inputs: Iterable<PredictorInput> | AsyncIterable<PredictorInput>) =>
    isFeatureFormat(scorer.format)
      ? vectorBatches(inputs, scorer.format, batchSize)
      : decodedBatches(imagesAmong(inputs), scorer.format, batchSize);

  async function* predict(
    inputs: Iterable<PredictorInput> | AsyncIterable<PredictorInput>,
  ): AsyncGenerator<Prediction | FailedPrediction> {
    const batches: AsyncIterable<VectorBatch> = batchesOf(inputs);
    for await (const { batch, logits, embeddings } of scoredBatches(batches, scorer)) {
      const odd = oddRows?.(batch, embeddings) ?? [];
      const { probabilities, labels, presence, outcomes } = decideLogits(logits, description, decision);
      let row = 0;
      for (const { image, failure } of batch.entries) {
        if (failure !== undefined) {
          yield { name: image.name, failure };
          continue;
        }
        const at = row * classes.length;
        yield {
          name: image.name,
          probabilities: probabilities.slice(at, at + classes.length),
          presenceScore: presence[row]!,
          outcome: guardedOutcome(outcomes[row]!, odd[row]),
          ...(odd[row] !== undefined && { odd: odd[row] }),
          labels: classes.filter((_, j) => labels[at + j] === 1),
        };
        row++;
      }
    }
  }

  return {
    description,
    decision,
    remarks: [...(opened.remarks ?? []), ...used.remarks],
    predict,
    async predictOne(given) {
      const input = takesFeatures(description) ? oneVector(given, description.features) : oneImage(given);
      for await (const prediction of predict([input])) {
        if ('failure' in prediction) throw new UserError(lineAbout(prediction.name, prediction.failure));
        return named(prediction, classes, decision);
      }
      throw new Error('an image gave no prediction');
    },
    [Symbol.dispose]: () => opened[Symbol.dispose](),
  };
}

/** Converts a prediction to class names, with the decision behind it. */
export function named(
  { probabilities: values, presenceScore, labels, outcome, odd }: Prediction,
  classes: readonly string[],
  { presence, thresholds }: Decision,
): NamedPrediction {
  const byClass = <Value>(entry: (j: number) => Value) =>
    Object.fromEntries(classes.map((name, j) => [name, entry(j)]));
  return {
    labels,
    outcome,
    ...(odd !== undefined && { odd }),
    isNegative: labels.length === 0,
    probabilities: byClass((j) => values[j]!),
    presence: {
      probability: presenceProbability(presenceScore),
      gate: presence === null ? 1 : presenceProbability(presence),
      passes: presence !== null && presenceScore >= presence,
    },
    thresholds: byClass((j) => thresholds[j] ?? null),
  };
}

type OneInput = Parameters<Predictor['predictOne']>[0];

function oneImage(given: OneInput): ImageInput {
  if (typeof given === 'string') return fileInput(given);
  if (given instanceof Uint8Array) return bytesInput(given);
  throw new UserError('the model takes images; pass the bytes of an image file, or its path');
}

function oneVector(given: OneInput, names: readonly string[]): VectorInput {
  if (typeof given === 'string' || given instanceof Uint8Array) {
    throw new UserError(
      `the model takes features; pass ${names.length} numbers, or an object of numbers by name`,
    );
  }
  return vectorOf(given, names);
}

/** Passes images through; a vector among them is reported as unreadable. */
async function* imagesAmong(
  inputs: Iterable<PredictorInput> | AsyncIterable<PredictorInput>,
): AsyncGenerator<ImageInput> {
  for await (const input of inOrder(inputs)) {
    const { name } = input;
    if ('read' in input) yield input;
    else {
      const reason = 'failure' in input ? input.failure : 'is a feature vector; the model takes images';
      yield { name, read: () => Promise.reject(new UserError(reason)) };
    }
  }
}

function bytesInput(bytes: Uint8Array): ImageInput {
  return { name: 'the image', read: async () => ({ kind: 'encoded', bytes }) };
}
