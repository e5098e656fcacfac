import { findStateDict, readPytorchCheckpoint, readSafetensors, type StoredTensor } from '@anyclass/torch';
import { messageOf } from '../../errors/reasonOf.js';
import { UserError } from '../../errors/userError.js';

/**
 * The tensors of a weight file by name: `.safetensors`, or a checkpoint of PyTorch, wherever in it the weights stand.
 *
 * @example
 * readWeights('vit_b_16-c867db91.pth').get('class_token')?.shape // [1, 1, 768]
 */
export function readWeights(path: string): Map<string, StoredTensor> {
  try {
    if (path.endsWith('.safetensors')) return readSafetensors(path).tensors;
    return findStateDict(readPytorchCheckpoint(path).value).tensors;
  } catch (error) {
    // What these refuse is what is in the file.
    throw new UserError(messageOf(error));
  }
}
