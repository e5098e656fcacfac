// Computes logits from decoded images or feature vectors with an exported model, without libtorch.

import { batchWithin } from '../../data/batches/batchWithin.js';
import type { InputBatch } from '../../data/batches/deviceBatch.js';
import { floatsOf, type InputFormat, type ModelInput, takesFeatures } from '../../data/dataset/inputs.js';
import { changedInput, type PreparationChanges, readingOf } from '../../data/dataset/preparation.js';
import { UserError } from '../../errors/userError.js';
import { type ModelDescription, needsEmbeddings } from '../../runs/modelFile.js';
import { descriptionOf, type OnnxDescription, type OnnxPrecision, readExport } from './exportedModel.js';
import { normalizeImages } from './normalizeImages.js';
import { checkSeal } from './onnxChecksum.js';
import { readOnnxMetadata } from './onnxMetadata.js';
import { openSession } from './onnxRuntime.js';
import type { SessionOptions } from './sessionOptions.js';

export interface OnnxScorerOptions extends SessionOptions {
  /** Instances per batch; of large images fewer. Default 32. */
  readonly batchSize?: number;
  /** Only `auto` and `cpu` are possible. */
  readonly device?: string;
  /** Only `auto` and `float32` are possible: the file has its own precision. */
  readonly precision?: string;
  readonly preparation?: PreparationChanges | undefined;
}

/** What `openModelScorer` returns for an exported model. */
export interface OnnxScorer extends Disposable {
  readonly description: ModelDescription;
  readonly remarks: readonly string[];
  readonly scorer: {
    readonly format: InputFormat;
    score(
      batch: InputBatch,
    ): Promise<{ readonly logits: Float32Array; readonly embeddings?: Float32Array | undefined }>;
  };
  readonly batchSize: number;
  readonly network: string;
  readonly runtime: 'onnxruntime';
  readonly device: 'cpu';
  readonly precision: OnnxPrecision;
}

/**
 * Opens an exported model on the CPU.
 *
 * @example
 * using model = await openOnnxScorer('model.onnx', {});
 * (await model.scorer.score({ size: 1, inputs: bytes })).logits
 */
export async function openOnnxScorer(
  path: string,
  { device = 'auto', precision = 'auto', preparation = {}, batchSize = 32, spins }: OnnxScorerOptions,
): Promise<OnnxScorer> {
  if (device !== 'auto' && device !== 'cpu')
    throw new UserError(
      `device ${device}: ${path} runs only on the CPU; use the model's run or safetensors file on a GPU`,
    );
  const isChecked = checkSeal(path);
  const exported = readExport(readOnnxMetadata(path), path);
  if (precision !== 'auto' && precision !== 'float32')
    throw new UserError(`precision ${precision}: ${path} has its own, ${exported.precision}`);
  const description = descriptionOf(exported);
  const { format, name, shape, numbers } = arrival(
    changedInput(description, preparation),
    exported.preprocessing,
  );
  const { runtime, session } = await openSession(path, { spins });
  const outputs = needsEmbeddings(description) ? ['logits', 'embedding'] : ['logits'];
  const run = async (batch: InputBatch, outputs: readonly string[]): Promise<Float32Array[]> => {
    const input = new runtime.Tensor('float32', numbers(batch), [batch.size, ...shape]);
    const found = await session.run({ [name]: input }, outputs);
    return outputs.map((output) => {
      const data = found[output]?.data;
      if (data instanceof Float32Array) return data;
      throw new Error(`${path}: has no float32 output named ${output}`);
    });
  };
  return {
    description,
    remarks: isChecked ? [] : [`${path} has no checksum, so damage would go unnoticed`],
    scorer: {
      format,
      async score(batch) {
        const [logits, embeddings] = await run(batch, outputs);
        return { logits: logits!, embeddings };
      },
    },
    batchSize: batchWithin(batchSize, format),
    network: exported.network,
    runtime: 'onnxruntime',
    device: 'cpu',
    precision: exported.precision,
    [Symbol.dispose]: () => void session.release(),
  };
}

interface Arrival {
  readonly format: InputFormat;
  /** Name of the file's input. */
  readonly name: string;
  readonly shape: readonly number[];
  readonly numbers: (batch: InputBatch) => Float32Array;
}

/** How instances are passed to the model. */
function arrival(input: ModelInput, preprocessing: OnnxDescription['preprocessing']): Arrival {
  if (takesFeatures(input) || 'features' in preprocessing) {
    const features = 'features' in preprocessing ? preprocessing.features.length : 0;
    return {
      format: { features },
      name: 'features',
      shape: [features],
      numbers: ({ size, inputs }) => floatsOf(inputs, 0, size * features),
    };
  }
  const { width, height } = preprocessing;
  const { channels, mean, std, ...reading } = input;
  const format = { width, height, channels, ...readingOf(reading) };
  return {
    format,
    name: 'pixel_values',
    shape: [3, height, width],
    numbers: (batch) => normalizeImages(batch, { format, mean, std }),
  };
}
