// What Studio and the process that computes with models tell each other.

import type { RunDifference } from '@anyclass/studio';
import type { StoredImage } from '../data/dataset/imageSource.js';
import type { NamedPrediction } from '../inference/predictor.js';
import type { Folder } from './folders.js';

/** Work for the process. */
export type ModelTask =
  | {
      readonly kind: 'explain';
      /** The run folder. */
      readonly model: string;
      readonly image: StoredImage;
      /** Class names, and `presence`; without, those that matter. */
      readonly targets?: readonly string[] | undefined;
      /** The longer side of the maps in pixels. */
      readonly side: number;
    }
  | { readonly kind: 'embed'; readonly model: string; readonly image: StoredImage }
  | {
      readonly kind: 'embedAll';
      readonly model: string;
      readonly names: readonly string[];
      readonly folders: readonly Folder[];
    }
  | { readonly kind: 'lookAlikes'; readonly model: string; readonly folders: readonly Folder[] }
  /** The run folders of both; labels are those of the second. */
  | { readonly kind: 'difference'; readonly before: string; readonly after: string };

export interface ExplainedPicture {
  /** A class name, or `presence`. */
  readonly target: string;
  readonly probability: number;
  /** A transparent PNG in the proportions of the image. */
  readonly picture: Uint8Array;
  readonly method: string;
}

export interface Explained {
  readonly prediction: NamedPrediction;
  readonly maps: readonly ExplainedPicture[];
}

/** Embeddings of images, row by row, each of length 1; those that could not be read are left out. */
export interface Embedded {
  readonly names: readonly string[];
  readonly width: number;
  readonly values: Float32Array;
}

/** The answer to a task, of its kind. */
export type ModelAnswer =
  | ({ readonly kind: 'explain' } & Explained)
  | { readonly kind: 'embed'; readonly values: Float32Array }
  | ({ readonly kind: 'embedAll' } & Embedded)
  | { readonly kind: 'lookAlikes'; readonly sets: readonly (readonly number[])[] }
  | { readonly kind: 'difference'; readonly difference: RunDifference };

export type AnswerOf<Kind extends ModelTask['kind']> = Extract<ModelAnswer, { readonly kind: Kind }>;

export type ModelReply =
  | { readonly id: number; readonly state: 'done'; readonly answer: ModelAnswer }
  /** `isOurs`: an error that the user cannot fix. */
  | { readonly id: number; readonly state: 'failed'; readonly reason: string; readonly isOurs: boolean }
  | { readonly id: number; readonly state: 'progress'; readonly done: number; readonly total: number };

export interface ModelRequest {
  readonly id: number;
  readonly task: ModelTask;
}
