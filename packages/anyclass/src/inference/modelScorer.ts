// Opens any model for scoring: a run or its weights with libtorch, an exported file with onnxruntime.

import { existsSync } from 'node:fs';
import type { Device, Tensor } from '@anyclass/torch';
import { batchWithin } from '../data/batches/batchWithin.js';
import type { InputBatch } from '../data/batches/deviceBatch.js';
import { takesFeatures } from '../data/dataset/inputs.js';
import { changedInput, type PreparationChanges } from '../data/dataset/preparation.js';
import { UserError } from '../errors/userError.js';
import { moveNetwork } from '../networks/moveNetwork.js';
import type { Network } from '../networks/network.js';
import { loadModel, type ModelDescription, needsEmbeddings } from '../runs/modelFile.js';
import { type ComputeWishes, chooseCompute, type Precision } from './computeDevice.js';
import { checkAddressSpace, scoringSpace } from './memory.js';
import type { OnnxPrecision } from './onnx/exportedModel.js';
import { openOnnxScorer } from './onnx/onnxScorer.js';
import type { SessionOptions } from './onnx/sessionOptions.js';
import { arrival, createScorer, type Scorer } from './scorer.js';

export interface ModelScorer extends Disposable {
  readonly description: ModelDescription;
  readonly scorer: Scorer;
  /** How many instances a batch should have: as many as were asked for, or fewer if images are large. */
  readonly batchSize: number;
  /** For example, 'tresnet-l'. */
  readonly network: string;
  readonly runtime: 'libtorch' | 'onnxruntime';
  readonly device: Device;
  readonly precision: Precision | OnnxPrecision;
  /** The network itself and how batches reach its device, for more than scores; absent for an exported model. */
  readonly inside?: { readonly network: Network; toDevice(batch: InputBatch): Tensor };
  /** Warnings for the user, such as that the file cannot be checked for damage. */
  readonly remarks?: readonly string[];
}

export interface ModelScorerOptions
  extends Partial<Pick<ComputeWishes, 'device' | 'precision'>>,
    SessionOptions {
  /** Instances per batch; of large images fewer, see `batchWithin`. Default 32. */
  readonly batchSize?: number;
  /** Batch sizes that are captured on a GPU in addition to the full one. */
  readonly capturedSizes?: readonly number[] | undefined;
  /** Overrides how images were preprocessed in training. */
  readonly preparation?: PreparationChanges | undefined;
}

/**
 * Opens a model: a run, its model.safetensors, or an exported .onnx, which needs no libtorch.
 *
 * @example
 * using model = await openModelScorer('runs/sewer', { batchSize: 64 });
 * model.scorer.format // { width: 224, height: 224, channels: 3 }
 */
export async function openModelScorer(model: string, options: ModelScorerOptions = {}): Promise<ModelScorer> {
  if (!existsSync(model)) throw new UserError(`${model}: no such model or run`);
  if (isOnnx(model)) return openOnnxScorer(model, options);
  const { device = 'auto', precision = 'auto', batchSize: wanted = 32, preparation = {} } = options;
  const settings = chooseCompute({ device, precision });
  const { network, description, remarks = [] } = loadModel(model);
  try {
    const input = changedInput(description, preparation);
    moveNetwork(network, settings.device);
    const { imageSize } = network;
    const { format } = arrival(network, input, settings.device);
    const batchSize = batchWithin(wanted, format);
    const capturedSizes = options.capturedSizes?.filter((size) => size < batchSize);
    // The minimum for a batch: several feature maps of 64 channels at a quarter of the pixels.
    if (!takesFeatures(input))
      checkAddressSpace(scoringSpace + batchSize * imageSize ** 2 * 64 * 4, ', or lower the batch size');
    return {
      description,
      remarks,
      batchSize,
      scorer: createScorer(network, {
        ...settings,
        batchSize,
        capturedSizes,
        input,
        hasEmbeddings: needsEmbeddings(description),
      }),
      inside: { network, toDevice: arrival(network, input, settings.device).toDevice },
      network: network.name,
      runtime: 'libtorch',
      ...settings,
      [Symbol.dispose]: () => network.dispose(),
    };
  } catch (error) {
    network.dispose();
    throw error;
  }
}

function isOnnx(path: string): boolean {
  return path.toLowerCase().endsWith('.onnx');
}
