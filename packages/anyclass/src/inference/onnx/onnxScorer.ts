// From decoded images to logits with an exported model, without libtorch.

import { changedPreparation } from '../../data/preparation.js';
import { UserError } from '../../errors/userError.js';
import type { ModelScorer, ModelScorerOptions } from '../modelScorer.js';
import { descriptionOf, readExport } from './exportedModel.js';
import { normalizeImages } from './normalizeImages.js';
import { readOnnxMetadata } from './onnxMetadata.js';
import { openSession } from './onnxRuntime.js';

/**
 * Opens an exported model on the CPU.
 *
 * @example
 * using model = await openOnnxScorer('model.onnx', {});
 * await model.scorer.score({ size: 1, images: bytes }) // logits
 */
export async function openOnnxScorer(
  path: string,
  { device = 'auto', precision = 'auto', preparation = {}, spins }: ModelScorerOptions,
): Promise<ModelScorer> {
  if (device !== 'auto' && device !== 'cpu')
    throw new UserError(
      `device ${device}: ${path} runs on the CPU; a GPU takes the model's run or safetensors file`,
    );
  const exported = readExport(readOnnxMetadata(path), path);
  if (precision !== 'auto' && precision !== 'float32')
    throw new UserError(`precision ${precision}: ${path} has its own, ${exported.precision}`);
  const description = descriptionOf(exported);
  const { channels, mean, std } = changedPreparation(description, preparation);
  const { width, height } = exported.preprocessing;
  const format = { width, height, channels };
  const { runtime, session } = await openSession(path, { spins });
  return {
    description,
    scorer: {
      format,
      async score(batch) {
        const pixels = normalizeImages(batch, { format, mean, std });
        const input = new runtime.Tensor('float32', pixels, [batch.size, 3, height, width]);
        const { logits } = await session.run({ pixel_values: input }, ['logits']);
        if (!(logits?.data instanceof Float32Array))
          throw new Error(`${path}: gives no logits of type float32`);
        return logits.data;
      },
    },
    network: exported.network,
    runtime: 'onnxruntime',
    device: 'cpu',
    precision: exported.precision,
    [Symbol.dispose]: () => void session.release(),
  };
}
