import { readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { findStateDict, readPytorchCheckpoint, readSafetensors, type StoredTensor } from '@anyclass/torch';
import { z } from 'zod';
import { messageOf } from '../../errors/reasonOf.js';
import { UserError } from '../../errors/userError.js';
import { parsedJson } from '../../files/wholeFile.js';

export interface WeightFile {
  readonly tensors: Map<string, StoredTensor>;
  /** Where a PyTorch checkpoint has them, and where it has others that were not read, such as averaged ones. */
  readonly key?: string | undefined;
  readonly others?: readonly string[];
}

/**
 * Reads the tensors of a weight file by name: `.safetensors`, a PyTorch checkpoint, wherever the weights are in it, or the index of files
 * that they are spread over.
 *
 * @example
 * readWeights('vit_b_16-c867db91.pth').get('class_token')?.shape // [1, 1, 768]
 */
export function readWeights(path: string): Map<string, StoredTensor> {
  return readWeightFile(path).tensors;
}

/** Reads the same, and says where in the file it was. */
export function readWeightFile(path: string): WeightFile {
  try {
    if (path.endsWith(indexEnding)) return { tensors: shardedTensors(path) };
    if (path.endsWith('.safetensors')) return readSafetensors(path);
    return findStateDict(readPytorchCheckpoint(path).value);
  } catch (error) {
    // These errors are about the file's content; not all name it.
    const message = messageOf(error);
    throw new UserError(message.includes(basename(path)) ? message : `${path}: ${message}`);
  }
}

const indexEnding = '.index.json';
const index = z.object({ weight_map: z.record(z.string(), z.string()) });

/** Reads the files that Hugging Face's `model.safetensors.index.json` names, beside it. */
function shardedTensors(path: string): Map<string, StoredTensor> {
  const { data } = index.safeParse(parsedJson(readFileSync(path, 'utf8')));
  if (!data) throw new UserError(`${path}: expected JSON with a weight_map from names to files`);
  const tensors = new Map<string, StoredTensor>();
  for (const file of new Set(Object.values(data.weight_map))) {
    if (basename(file) !== file) throw new UserError(`${path} names '${file}'; expected a file beside it`);
    for (const [name, tensor] of readWeights(join(dirname(path), file))) tensors.set(name, tensor);
  }
  const absent = Object.keys(data.weight_map).find((name) => !tensors.has(name));
  if (absent !== undefined)
    throw new UserError(`${path}: ${data.weight_map[absent]} does not have ${absent}; download it again`);
  return tensors;
}
