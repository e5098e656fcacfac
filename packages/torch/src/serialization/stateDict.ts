// Finds the weights in a checkpoint. Each training program wraps them in its own way.

import { type CheckpointValue, isSkippedObject, isStoredTensor } from './checkpointValue.js';
import { quoted } from './errors.js';
import type { StoredTensor } from './storedTensor.js';

/** The weights by name, and the key they were found under: `undefined` if they are the whole checkpoint. */
export interface StateDict {
  readonly tensors: Map<string, StoredTensor>;
  readonly key: string | undefined;
  /** Other usual keys that hold weights too, such as averaged ones. */
  readonly others: readonly string[];
}

/** How to look for the weights. */
export interface FindStateDictOptions {
  /** The key to use, such as `state_dict_ema`, instead of the first usual one. */
  readonly key?: string;
}

// In order of preference: trained weights before averaged ones, since not every program averages carefully.
const usualKeys = [
  'state_dict', // Lightning, MoCo, MMEngine, timm's training program
  'model_state_dict', // PyTorch's tutorials
  'model', // torchvision's references, DeiT, MAE, the published TResNet
  'net',
  'network',
  'weights',
  'params',
  'state_dict_ema', // timm
  'model_ema', // torchvision's references, DeiT
  'ema_state_dict',
  'ema',
  'params_ema',
] as const;

/**
 * Finds the weights in a checkpoint: the whole checkpoint, if it is a dictionary of tensors only, otherwise the
 * dictionary under one of the usual keys.
 *
 * @example
 * const tensor = { dtype: 'float32', shape: [1], data: new Uint8Array(4) } as const;
 * findStateDict(new Map([['fc.bias', tensor]])) // { tensors: Map(1), key: undefined, others: [] }
 * findStateDict(new Map<string, CheckpointValue>([['epoch', 3], ['model', new Map([['fc.bias', tensor]])]])).key // 'model'
 */
export function findStateDict(checkpoint: CheckpointValue, options: FindStateDictOptions = {}): StateDict {
  if (options.key === undefined) {
    const whole = tensorsByName(checkpoint);
    if (whole !== undefined) return { tensors: whole, key: undefined, others: [] };
  }
  if (checkpoint instanceof Map) {
    for (const key of options.key === undefined ? usualKeys : [options.key]) {
      const tensors = tensorsByName(checkpoint.get(key));
      if (tensors === undefined) continue;
      const others = usualKeys.filter((other) => other !== key && tensorsByName(checkpoint.get(other)));
      return { tensors, key, others };
    }
  }
  const where = options.key === undefined ? '' : ` under ${quoted(options.key)}`;
  throw new TypeError(`no state dict${where} in ${described(checkpoint)}`);
}

function tensorsByName(value: CheckpointValue | undefined): Map<string, StoredTensor> | undefined {
  if (!(value instanceof Map) || value.size === 0) return undefined;
  const tensors = new Map<string, StoredTensor>();
  for (const [name, tensor] of value) {
    if (typeof name !== 'string' || !isStoredTensor(tensor)) return undefined;
    tensors.set(name, tensor);
  }
  return tensors;
}

function described(checkpoint: CheckpointValue): string {
  if (!(checkpoint instanceof Map) || checkpoint.size === 0) {
    const advice = isSkippedObject(checkpoint)
      ? '; in Python, save its state_dict() instead of the object'
      : '';
    return `a checkpoint that is ${kindOf(checkpoint)}${advice}`;
  }
  const keys = [...checkpoint].slice(0, 30).map(([key, value]) => `${keyName(key)} (${kindOf(value)})`);
  const more = checkpoint.size - keys.length;
  return `a checkpoint with the keys ${keys.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

function keyName(key: CheckpointValue): string {
  return typeof key === 'string' ? quoted(key) : kindOf(key);
}

function kindOf(value: CheckpointValue): string {
  if (value === null) return 'None';
  if (typeof value !== 'object') return typeof value;
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (value instanceof Map) return `a dictionary of ${value.size}`;
  if (value instanceof Uint8Array) return 'bytes';
  return isSkippedObject(value) ? `the unread object ${value.className}` : 'a tensor';
}
