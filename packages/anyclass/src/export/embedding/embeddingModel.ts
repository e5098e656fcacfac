// A network without its last layer, which turns images or features into embeddings.

import { existsSync } from 'node:fs';
import { nn } from '@anyclass/torch';
import { batchWithin } from '../../data/batches/batchWithin.js';
import { photographPreparation } from '../../data/dataset/dataset.js';
import type { ModelInput } from '../../data/dataset/inputs.js';
import { UserError } from '../../errors/userError.js';
import type { RunEventListener } from '../../events/runEvent.js';
import { type ComputeWishes, chooseCompute } from '../../inference/computeDevice.js';
import { arrival, createScorer, type Scorer } from '../../inference/scorer.js';
import { definitionOf } from '../../networks/catalog.js';
import { createNetwork } from '../../networks/createNetwork.js';
import { moveNetwork } from '../../networks/moveNetwork.js';
import type { Network } from '../../networks/network.js';
import { Perceptron } from '../../networks/perceptron.js';
import { findWeights } from '../../networks/weights/findWeights.js';
import { loadWeights } from '../../networks/weights/loadWeights.js';
import { isWeightsPath } from '../../networks/weights/weightsName.js';
import { loadModel } from '../../runs/modelFile.js';

export interface EmbeddingModel extends Disposable {
  readonly network: string;
  readonly input: ModelInput;
  /** Length of an embedding. */
  readonly width: number;
  /** How many instances a batch should have: as many as were asked for, or fewer if images are large. */
  readonly batchSize: number;
  /** A scorer whose scores are embeddings, [batch, width]. */
  readonly scorer: Scorer;
}

export interface EmbeddingModelOptions extends Partial<Pick<ComputeWishes, 'device' | 'precision'>> {
  readonly batchSize: number;
  readonly onEvent?: RunEventListener | undefined;
}

/**
 * Opens a run folder, its model.safetensors, or published weights by name, to compute embeddings.
 *
 * @example
 * using model = await openEmbeddingModel('timm/resnet18.a1_in1k', { batchSize: 64 });
 * model.width // 512
 */
export async function openEmbeddingModel(
  model: string,
  { device = 'auto', precision = 'auto', batchSize: wanted, onEvent }: EmbeddingModelOptions,
): Promise<EmbeddingModel> {
  const settings = chooseCompute({ device, precision });
  const { network, input } = existsSync(model) ? ofFile(model) : await ofWeights(model, onEvent);
  try {
    moveNetwork(network, settings.device);
    const batchSize = batchWithin(wanted, arrival(network, input, settings.device).format);
    return {
      network: network.name,
      input,
      batchSize,
      width: embeddingWidth(network),
      scorer: createScorer(network, { ...settings, batchSize, input, output: 'embedding' }),
      [Symbol.dispose]: () => network.dispose(),
    };
  } catch (error) {
    network.dispose();
    throw error;
  }
}

function ofFile(model: string): { network: Network; input: ModelInput } {
  if (model.toLowerCase().endsWith('.onnx')) {
    throw new UserError(
      `${model} is an ONNX file; embeddings come from a run or its model.safetensors, or from the output 'embedding' that an export can add`,
    );
  }
  const { network, description } = loadModel(model);
  return { network, input: description };
}

async function ofWeights(
  model: string,
  onEvent: RunEventListener | undefined,
): Promise<{ network: Network; input: ModelInput }> {
  if (isWeightsPath(model)) throw new UserError(`${model}: no such model or run`);
  const { path, facts } = await findWeights(model, { onEvent });
  const { network: name, inputSize, mean, std } = facts;
  if (name === undefined)
    throw new UserError(`${model} does not say which network it is for; import it first`);
  const options = { classes: 1, ...(inputSize !== undefined && { inputSize }) };
  const network = nn.init.withoutDrawing(() => createNetwork(name, options));
  const { missing, misshapen } = loadWeights(network, path);
  if (missing.length > 0 || misshapen.length > 0) {
    network.dispose();
    throw new UserError(`${model} lacks some weights of ${name}, so its embeddings would be noise`);
  }
  const { channels, ...own } = photographPreparation;
  const input = { channels, mean: mean ?? own.mean, std: std ?? own.std };
  return { network: network.eval().requireGrad(false), input };
}

function embeddingWidth(network: Network): number {
  if (!(network instanceof Perceptron)) return definitionOf(network).trunk.features;
  const { hidden, inputSize } = network.options;
  return hidden.at(-1) ?? inputSize;
}
