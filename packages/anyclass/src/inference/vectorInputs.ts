// Batches of feature vectors for a model.

import type { InputBatch } from '../data/batches/deviceBatch.js';
import { type FeatureFormat, floatsOf } from '../data/dataset/inputs.js';
import { counted } from '../errors/counted.js';
import { UserError } from '../errors/userError.js';
import { inOrder } from './decodedBatches.js';
import type { ImageInput } from './imageInput.js';

/** A feature vector to predict from, in the order of the model's features; NaN for a missing value. */
export interface VectorInput {
  readonly name: string;
  readonly features: ArrayLike<number>;
  /** The file that contains it. */
  readonly path?: string;
}

/** An input that cannot be read. */
export interface FailedInput {
  readonly name: string;
  readonly failure: string;
}

/** A batch, and the outcome for each of its inputs. */
export interface VectorBatch extends InputBatch, Disposable {
  readonly entries: readonly { readonly image: { readonly name: string }; readonly failure?: string }[];
}

type AnyInput = ImageInput | VectorInput | FailedInput;

function isVector(input: AnyInput): input is VectorInput {
  return 'features' in input;
}

/**
 * Groups feature vectors into batches. Inputs that are not vectors or have the wrong length are reported
 * among the others.
 *
 * @example
 * for await (using batch of vectorBatches([{ name: 'row 1', features: [0.5, 1] }], { features: 2 }, 32)) console.log(batch.size);
 */
export async function* vectorBatches(
  inputs: Iterable<AnyInput> | AsyncIterable<AnyInput>,
  { features }: FeatureFormat,
  batchSize: number,
): AsyncGenerator<VectorBatch> {
  let entries: { image: { name: string }; failure?: string }[] = [];
  let vectors: ArrayLike<number>[] = [];
  const made = (): VectorBatch => {
    const bytes = new Uint8Array(4 * features * vectors.length);
    const values = floatsOf(bytes, 0, features * vectors.length);
    for (const [i, vector] of vectors.entries()) values.set(vector, i * features);
    const batch = { entries, size: vectors.length, inputs: bytes, [Symbol.dispose]: () => {} };
    [entries, vectors] = [[], []];
    return batch;
  };
  for await (const input of inOrder(inputs)) {
    const failure = problemWith(input, features);
    entries.push({ image: { name: input.name }, ...(failure !== undefined && { failure }) });
    if (failure === undefined && isVector(input)) vectors.push(input.features);
    if (entries.length === batchSize) yield made();
  }
  if (entries.length > 0) yield made();
}

function problemWith(input: AnyInput, features: number): string | undefined {
  if ('failure' in input) return input.failure;
  if (!isVector(input)) return 'is an image; the model takes feature vectors';
  const { length } = input.features;
  return length === features ? undefined : `has ${counted(length, 'feature')}; the model takes ${features}`;
}

/**
 * Makes a vector from numbers in the model's order, or by feature name. `toOmit` tells users how to omit a
 * value.
 *
 * @example
 * vectorOf({ width: 2, height: 3 }, ['height', 'width']) // { name: 'the vector', features: [3, 2] }
 */
export function vectorOf(
  given: ArrayLike<number> | Readonly<Record<string, number>>,
  names: readonly string[],
  toOmit = 'pass NaN',
): VectorInput {
  const name = 'the vector';
  if (isNumbers(given)) return { name, features: given };
  const unknown = Object.keys(given).find((key) => !names.includes(key));
  const missing = names.find((key) => !Object.hasOwn(given, key));
  if (unknown !== undefined) throw new UserError(`the model has no feature '${unknown}'`);
  if (missing !== undefined) {
    throw new UserError(`feature '${missing}' is missing; ${toOmit} if it was not measured`);
  }
  return { name, features: names.map((key) => given[key]!) };
}

function isNumbers(given: ArrayLike<number> | Readonly<Record<string, number>>): given is ArrayLike<number> {
  return Array.isArray(given) || ArrayBuffer.isView(given);
}
