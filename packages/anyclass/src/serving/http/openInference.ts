// The Open Inference Protocol, version 2, over REST with JSON, for clients of KServe, Triton and Seldon.
//
// A model takes one of two inputs: `image`, image files (BYTES, [N], base64 in JSON), or `pixels`, decoded
// images (UINT8, [N, height, width, channels]). A model of feature vectors takes `features` (FP32, [N,
// features]). The outputs are probabilities, logits, presence_score and labels.

import type { StoredImage } from '../../data/dataset/imageSource.js';
import { type FeatureFormat, type InputFormat, isFeatureFormat } from '../../data/dataset/inputs.js';
import { version as ownVersion } from '../../runs/version.js';
import { type InferRequest, type InferResponse, inferRequest } from '../api/schemas.js';
import type { FeatureRow, ModelVersion } from '../models/modelVersion.js';
import type { ServedModel } from '../models/servedModel.js';
import { findModel, type ServerState } from '../operation/serverState.js';
import { Problem } from '../requests/problem.js';
import { type Answer, type Exchange, json } from './exchange.js';
import { answer, type Outcome } from './predicting.js';
import { base64Bytes, jsonBody } from './requestImages.js';
import type { PathParts } from './router.js';

type ImageRow = Exclude<Outcome, Problem>;

/** The outputs of a model; for each image, one number per class or a single number. */
const outputs: readonly {
  readonly name: string;
  readonly datatype: string;
  readonly isPerClass: boolean;
  values(row: ImageRow): Iterable<number>;
}[] = [
  { name: 'probabilities', datatype: 'FP32', isPerClass: true, values: (row) => row.probabilities },
  { name: 'presence_score', datatype: 'FP64', isPerClass: false, values: (row) => [row.presenceScore] },
  { name: 'labels', datatype: 'UINT8', isPerClass: true, values: (row) => row.labels },
  { name: 'logits', datatype: 'FP32', isPerClass: true, values: (row) => row.logits },
];

export function serverMetadata() {
  return { name: 'anyclass', version: ownVersion(), extensions: [] };
}

export function modelMetadata(served: ServedModel) {
  const { model } = served.version();
  const classes = model.description.classes.length;
  return {
    name: served.name,
    versions: [model.version],
    platform: `anyclass_${model.runtime}`,
    inputs: inputsOf(model.format),
    outputs: outputs.map(({ name, datatype, isPerClass }) => ({
      name,
      datatype,
      shape: isPerClass ? [-1, classes] : [-1],
    })),
  };
}

function inputsOf(format: InputFormat) {
  if (isFeatureFormat(format)) return [{ name: 'features', datatype: 'FP32', shape: [-1, format.features] }];
  const { width, height, channels } = format;
  return [
    { name: 'image', datatype: 'BYTES', shape: [-1] },
    { name: 'pixels', datatype: 'UINT8', shape: [-1, height, width, channels] },
  ];
}

/**
 * Returns the model that a path names.
 *
 * @throws Problem if there is none, or if the path names another version
 */
export function pathModel(state: ServerState, { name, version: wanted }: PathParts): ServedModel {
  const served = findModel(state, name);
  const { version } = served.version().model;
  if (wanted !== undefined && wanted !== version)
    throw new Problem('not-found', `model '${served.name}' is at version ${version}, not ${wanted}`);
  return served;
}

/** POST /v2/models/NAME/infer */
export async function inferRoute(state: ServerState, exchange: Exchange, parts: PathParts): Promise<Answer> {
  const served = pathModel(state, parts);
  let request: InferRequest | undefined;
  const { version, outcomes } = await answer(state, exchange, (body) => {
    request = jsonBody(body, inferRequest);
    return { model: served, images: inputImages(request, served.version()) };
  });
  const rows = outcomes.map((outcome, i) => {
    if (outcome instanceof Problem)
      throw new Problem(outcome.kind, `${outcomes.length > 1 ? `image ${i}: ` : ''}${outcome.message}`);
    return outcome;
  });
  const wanted = request?.outputs?.map(({ name }) => outputNamed(name)) ?? outputs;
  const response: InferResponse = {
    model_name: served.name,
    model_version: version.model.version,
    ...(request?.id !== undefined && { id: request.id }),
    outputs: wanted.map(({ name, datatype, isPerClass, values }) => ({
      name,
      datatype,
      shape: isPerClass ? [rows.length, version.model.description.classes.length] : [rows.length],
      data: rows.flatMap((row) => [...values(row)]),
    })),
  };
  return json(response);
}

function outputNamed(name: string) {
  const found = outputs.find((output) => output.name === name);
  if (!found) {
    const names = outputs.map((output) => output.name).join(', ');
    throw new Problem('bad-request', `outputs: no output '${name}'; available: ${names}`);
  }
  return found;
}

function inputImages(
  { inputs, outputs: asked }: InferRequest,
  { model }: ModelVersion,
): (StoredImage | FeatureRow)[] {
  for (const { name } of asked ?? []) outputNamed(name);
  const [input, another] = inputs;
  if (!input || another) throw new Problem('bad-request', 'inputs: expected one input');
  const { name, datatype, shape, data } = input;
  const values = data.flat(Number.POSITIVE_INFINITY);
  if (isFeatureFormat(model.format)) return inputRows(input, values, model.format);
  if (name === 'image') {
    expectTensor(input, 'BYTES', [values.length]);
    return values.map((value, i) => {
      if (typeof value !== 'string')
        throw new Problem('bad-request', `inputs.image.data.${i}: expected text`);
      return { kind: 'encoded', bytes: base64Bytes(value, `inputs.image.data.${i}`) };
    });
  }
  if (name !== 'pixels')
    throw new Problem('bad-request', `inputs: no input '${name}'; expected image or pixels`);
  const { width, height, channels } = model.format;
  const stride = width * height * channels;
  expectTensor({ name, datatype, shape }, 'UINT8', [values.length / stride, height, width, channels]);
  const pixels = Uint8Array.from(values, (value, i) => {
    if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 255) return value;
    throw new Problem('bad-request', `inputs.pixels.data.${i}: expected a whole number from 0 to 255`);
  });
  return Array.from({ length: shape[0]! }, (_, i) => ({
    kind: 'pixels',
    pixels: pixels.subarray(i * stride, (i + 1) * stride),
    width,
    height,
    channels,
  }));
}

function inputRows(
  input: InferRequest['inputs'][number],
  values: readonly unknown[],
  { features }: FeatureFormat,
): FeatureRow[] {
  if (input.name !== 'features')
    throw new Problem('bad-request', `inputs: no input '${input.name}'; expected features`);
  expectTensor(input, 'FP32', [values.length / features, features]);
  const numbers = values.map((value, i) => {
    if (typeof value === 'number') return value;
    if (value === null) return Number.NaN;
    throw new Problem(
      'bad-request',
      `inputs.features.data.${i}: expected a number, or null for a missing one`,
    );
  });
  return Array.from({ length: input.shape[0]! }, (_, i) => ({
    kind: 'row',
    values: numbers.slice(i * features, (i + 1) * features),
  }));
}

function expectTensor(
  {
    name,
    datatype,
    shape,
  }: { readonly name: string; readonly datatype: string; readonly shape: readonly number[] },
  type: string,
  expected: readonly number[],
): void {
  if (datatype !== type)
    throw new Problem('bad-request', `inputs.${name}.datatype: expected ${type}; got ${datatype}`);
  if (shape.join() !== expected.join() || shape[0] === 0) {
    const wanted = expected.map((size) => (Number.isInteger(size) && size > 0 ? size : 'N')).join(', ');
    throw new Problem(
      'bad-request',
      `inputs.${name}.shape: expected [${wanted}] for its data; got [${shape.join(', ')}]`,
    );
  }
}
