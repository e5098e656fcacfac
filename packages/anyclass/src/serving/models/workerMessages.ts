// Messages between the main thread and an inference worker.

import type { Decision, OddReason } from '@anyclass/core';
import type { InputFormat } from '../../data/dataset/inputs.js';
import type { HeatMap, Target } from '../../explain/heatMap.js';
import type { DecidedRows } from '../../inference/decideLogits.js';
import type { ChosenDecision } from '../../inference/modelDecision.js';
import type { ModelScorer } from '../../inference/modelScorer.js';

/** What a worker is started with. */
export interface WorkerTask {
  /** A run, a model.safetensors or an .onnx file. */
  readonly model: string;
  readonly device: string;
  readonly precision: 'auto' | 'float32' | 'bfloat16' | 'float16';
  readonly decision: ChosenDecision | undefined;
  /** Most instances per batch; of large images there are fewer. */
  readonly batchSize: number;
  /** Most decoded images or feature rows in the shared memory; of large images there are fewer. */
  readonly slots: number;
}

/** The properties of an opened model. */
export interface OpenedModel
  extends Pick<ModelScorer, 'description' | 'network' | 'runtime' | 'device' | 'precision' | 'remarks'> {
  /** First characters of the SHA-256 of the model's file. */
  readonly version: string;
  /** Whether heat maps can be asked for. */
  readonly explains: boolean;
  readonly format: InputFormat;
  readonly decision: Decision;
  /** How it was refitted, if it was. */
  readonly decisionRemarks: readonly string[];
}

export interface BatchRequest {
  /** Slots of the batch's images in the shared memory. */
  readonly slots: readonly number[];
  /** Which of them, by their places in `slots`, get heat maps. */
  readonly explained?: readonly number[];
}

/** A request, and the number that its answer carries. */
export interface BatchMessage {
  readonly id: number;
  readonly request: BatchRequest;
}

/** Where a model sees a class, or presence. */
export interface AnswerMap extends HeatMap {
  /** The class's number. */
  readonly target: Target;
}

export interface ImageExplanation {
  /** What the model saw: its input in 8 bits, rows from the top, channels interleaved. */
  readonly pixels: Uint8Array;
  /** Presence, then the predicted classes or the most probable one. */
  readonly maps: readonly AnswerMap[];
}

export interface BatchAnswer extends DecidedRows {
  readonly logits: Float32Array;
  /** Why each image is odd; omitted for a model without a guard. */
  readonly odd?: readonly (OddReason | undefined)[];
  /** Of the images that were to be explained, by their places in the request. */
  readonly explanations?: ReadonlyMap<number, ImageExplanation>;
  /** Duration of the computation. */
  readonly seconds: number;
}

export type WorkerMessage =
  | {
      readonly type: 'opened';
      readonly model: OpenedModel;
      readonly pixels: SharedArrayBuffer;
      /** Most instances per batch. */
      readonly batchSize: number;
      /** Most batches that it works on at once. */
      readonly mostStarted: number;
    }
  | { readonly type: 'refused'; readonly reason: string; readonly isMistake: boolean }
  | { readonly type: 'scored'; readonly id: number; readonly answer: BatchAnswer }
  | { readonly type: 'failed'; readonly id: number; readonly reason: string };
