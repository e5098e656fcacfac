// Small models to serve, and images to send to them.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setSeed } from '@anyclass/torch';
import sharp from 'sharp';
import { fixedDecision } from '../src/inference/modelDecision.js';
import type { NamedPrediction } from '../src/inference/predictor.js';
import { createNetwork } from '../src/networks/createNetwork.js';
import { saveModel } from '../src/runs/modelFile.js';
import type { Explanation as ServedExplanation } from '../src/serving/api/schemas.js';

export const servedClasses = ['crack', 'roots', 'joint'];

/** Writes a network with random weights; each seed gives a different model. */
export function saveServedModel(path: string, { seed = 1, threshold = 0.3 } = {}): void {
  setSeed(seed);
  using network = createNetwork('tresnet-s', { classes: servedClasses.length, inputSize: 32 });
  const decision = fixedDecision(servedClasses, threshold);
  saveModel(path, {
    network,
    description: {
      classes: servedClasses,
      channels: 3,
      mean: [0.5],
      std: [0.25],
      epoch: 1,
      loss: 'bce',
      dataset: 'digits',
      // Far from a random network's probabilities, so that rounding never matters.
      decision: { ...decision, thresholds: [threshold, 0.7, 0.2] },
    },
  });
}

/** Writes a perceptron with random weights that takes three features. */
export function saveServedFeatures(path: string): void {
  setSeed(1);
  using network = createNetwork('mlp', { classes: servedClasses.length, inputSize: 3, hidden: [8] });
  saveModel(path, {
    network,
    description: {
      classes: servedClasses,
      features: ['width', 'height', 'depth'],
      epoch: 1,
      loss: 'bce',
      dataset: 'pipes',
      decision: fixedDecision(servedClasses, 0.5),
    },
  });
}

/** An image of noise in large spots; different for each number. */
export async function picture(number: number, format: 'jpeg' | 'png' | 'webp' = 'jpeg'): Promise<Buffer> {
  const [width, height] = [8, 6];
  const spots = Buffer.from(
    Array.from({ length: width * height * 3 }, (_, i) => ((i * 37 + number * 101) * (i + 7 + number)) % 256),
  );
  const enlarged = sharp(spots, { raw: { width, height, channels: 3 } }).resize(80, 60, { kernel: 'cubic' });
  return enlarged.toFormat(format).toBuffer();
}

/** The response of /v1/predict. */
export interface Answer {
  readonly version: string;
  readonly predictions: readonly (NamedPrediction & {
    readonly name: string;
    readonly failure?: string;
    readonly seen?: string;
    readonly explanations?: readonly ServedExplanation[];
  })[];
}

export const post = (url: string, body: BodyInit, headers: Record<string, string> = {}) =>
  fetch(url, { method: 'POST', body, headers });
export const answerOf = async (response: Response): Promise<Answer> => JSON.parse(await response.text());
export const asBody = (bytes: Uint8Array) => new Uint8Array(bytes);

/** Writes a file that is not an image, and returns its path. */
export function textFile(place: string): string {
  const file = join(place, 'no-image.jpg');
  writeFileSync(file, 'no image');
  return file;
}
