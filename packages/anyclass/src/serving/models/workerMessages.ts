// Messages between the main thread and an inference worker.

import type { Decision } from '@anyclass/core';
import type { InputFormat } from '../../data/dataset/inputs.js';
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
  readonly batchSize: number;
  /** Number of decoded images or feature rows that fit in the shared memory. */
  readonly slots: number;
}

/** The properties of an opened model. */
export interface OpenedModel
  extends Pick<ModelScorer, 'description' | 'network' | 'runtime' | 'device' | 'precision' | 'remarks'> {
  /** First characters of the SHA-256 of the model's file. */
  readonly version: string;
  readonly format: InputFormat;
  readonly decision: Decision;
  /** How it was refitted, if it was. */
  readonly decisionRemarks: readonly string[];
}

export interface BatchRequest {
  /** Slots of the batch's images in the shared memory. */
  readonly slots: readonly number[];
}

export interface BatchAnswer extends DecidedRows {
  readonly logits: Float32Array;
  /** Duration of the computation. */
  readonly seconds: number;
}

export type WorkerMessage =
  | { readonly type: 'opened'; readonly model: OpenedModel; readonly pixels: SharedArrayBuffer }
  | { readonly type: 'refused'; readonly reason: string; readonly isMistake: boolean }
  | { readonly type: 'scored'; readonly answer: BatchAnswer }
  | { readonly type: 'failed'; readonly reason: string };
