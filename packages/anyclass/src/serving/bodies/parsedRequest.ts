// Parses and checks JSON bodies, on whichever thread.

import type { StoredImage } from '../../data/dataset/imageSource.js';
import type { InputFormat } from '../../data/dataset/inputs.js';
import type { ProblemText } from '../../web/problem.js';
import { inferRequest } from '../api/schemas.js';
import type { FeatureRow } from '../models/modelVersion.js';
import { inferInputs } from './inferInputs.js';
import { checkedContent, checkImages, type ImageRequest, jsonImages, jsonValue } from './jsonImages.js';

/** What a request of the Open Inference Protocol asks for. */
export interface InferImages {
  readonly id?: string | undefined;
  /** The names of the outputs; undefined for all. */
  readonly outputs: readonly string[] | undefined;
  readonly images: readonly (StoredImage | FeatureRow)[];
}

export interface ParseTask {
  readonly body: Uint8Array;
  readonly mostImages: number;
  /** The input of the model for a request of the Open Inference Protocol; undefined for our own. */
  readonly format: InputFormat | undefined;
}

export type ParseAnswer =
  | { readonly predict: ImageRequest }
  | { readonly infer: InferImages }
  | { readonly problem: ProblemText };

export function parsedPredict(body: Uint8Array, mostImages: number): ImageRequest {
  const request = jsonImages(body, mostImages);
  checkImages(request.images.length, mostImages);
  return request;
}

export function parsedInfer(body: Uint8Array, format: InputFormat, mostImages: number): InferImages {
  const request = checkedContent(jsonValue(body), inferRequest);
  const images = inferInputs(request, format);
  checkImages(images.length, mostImages);
  return { id: request.id, outputs: request.outputs?.map(({ name }) => name), images };
}
