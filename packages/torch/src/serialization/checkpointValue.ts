// What a PyTorch checkpoint holds once it has been read.

import type { PythonValue } from './pythonObject.js';
import type { StoredTensor } from './storedTensor.js';

/** A Python object that was not read: its class name, and its path in the checkpoint. */
export interface SkippedObject {
  readonly className: string;
  readonly path: string;
}

/**
 * A Python value in JavaScript form. Tuples, lists and sets are arrays, dictionaries are maps in insertion order,
 * integers beyond 2^53 are bigints, `torch.Size` is an array, `torch.float32` and devices are text (`'torch.float32'`,
 * `'cuda:0'`), and a parameter is its tensor.
 */
export type CheckpointValue = PythonValue<StoredTensor | SkippedObject>;

/**
 * Whether a checkpoint value is a tensor.
 *
 * @example
 * isStoredTensor({ dtype: 'uint8', shape: [1], data: new Uint8Array(1) }) // true
 */
export function isStoredTensor(value: CheckpointValue): value is StoredTensor {
  return typeof value === 'object' && value !== null && 'dtype' in value;
}

/**
 * Whether a checkpoint value is an object that was not read.
 *
 * @example
 * isSkippedObject({ className: 'argparse.Namespace', path: 'hyper_parameters' }) // true
 */
export function isSkippedObject(value: CheckpointValue): value is SkippedObject {
  return typeof value === 'object' && value !== null && 'className' in value;
}
