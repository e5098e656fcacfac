// The Open Inference Protocol, version 2, over REST with JSON, for clients of KServe, Triton and Seldon.
//
// A model takes one of two inputs: `image`, image files (BYTES, [N], base64 in JSON), or `pixels`, decoded
// images (UINT8, [N, height, width, channels]). A model of feature vectors takes `features` (FP32, [N,
// features]). The outputs are probabilities, logits, presence_score and labels.

import { type InputFormat, isFeatureFormat } from '../../data/dataset/inputs.js';
import { version as ownVersion } from '../../runs/version.js';
import { Problem } from '../../web/problem.js';
import type { InferResponse } from '../api/schemas.js';
import type { JsonRequests } from '../bodies/jsonRequests.js';
import type { InferImages } from '../bodies/parsedRequest.js';
import type { ServedModel } from '../models/servedModel.js';
import { findModel, type ServerState } from '../operation/serverState.js';
import { answer, type Exchanged, type Outcome } from './predicting.js';

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

/** What a path names. */
export interface PathParts {
  readonly name: string | undefined;
  readonly version: string | undefined;
}

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
export async function inferRoute(
  state: ServerState,
  requests: JsonRequests,
  exchanged: Exchanged,
  parts: PathParts,
): Promise<InferResponse> {
  const served = pathModel(state, parts);
  let request: InferImages | undefined;
  const { version, outcomes } = await answer(state, exchanged, async (body) => {
    const { format } = served.version().model;
    request = await requests.infer(await body.whole(), format);
    for (const name of request.outputs ?? []) outputNamed(name);
    return { model: served, images: request.images };
  });
  const rows = outcomes.map((outcome, i) => {
    if (outcome instanceof Problem)
      throw new Problem(outcome.kind, `${outcomes.length > 1 ? `image ${i}: ` : ''}${outcome.message}`);
    return outcome;
  });
  const wanted = request?.outputs?.map(outputNamed) ?? outputs;
  return {
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
}

function outputNamed(name: string) {
  const found = outputs.find((output) => output.name === name);
  if (!found) {
    const names = outputs.map((output) => output.name).join(', ');
    throw new Problem('bad-request', `outputs: no output '${name}'; available: ${names}`);
  }
  return found;
}
