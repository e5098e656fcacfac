import { findStateDict, readPytorchCheckpoint, readSafetensors, type StoredTensor } from '@anyclass/torch';
import { messageOf } from '../../errors/reasonOf.js';
import { UserError } from '../../errors/userError.js';

/**
 * Reads the tensors of a weight file by name: `.safetensors`, or a PyTorch checkpoint, wherever the weights are in it.
 *
 * @example
 * readWeights('vit_b_16-c867db91.pth').get('class_token')?.shape // [1, 1, 768]
 */
export function readWeights(path: string): Map<string, StoredTensor> {
  try {
    if (path.endsWith('.safetensors')) return readSafetensors(path).tensors;
    return findStateDict(readPytorchCheckpoint(path).value).tensors;
  } catch (error) {
    // These errors are about the file's content.
    throw new UserError(messageOf(error));
  }
}
