// What a checkpoint contains while it is being read.

import type { StoredDType } from './storedTensor.js';

/** A Python value: a scalar, a container of such values, or a special object. */
export type PythonValue<Special> =
  | null
  | boolean
  | number
  | bigint
  | string
  | Uint8Array
  | PythonValue<Special>[]
  | Map<PythonValue<Special>, PythonValue<Special>>
  | Special;

/** Something that Python would import: a class or a function. Only its name is known here. */
export interface PythonGlobal {
  readonly kind: 'global';
  readonly className: string;
}

/** An instance of an unknown class; its state is dropped. */
export interface UnknownObject {
  readonly kind: 'unknown';
  readonly className: string;
}

/** A block of memory that tensors view, stored as entry `key` of the archive. */
export interface TensorStorage {
  readonly kind: 'storage';
  readonly dtype: StoredDType;
  readonly key: string;
  /** Its length in elements. */
  readonly length: number;
}

/** A tensor as PyTorch describes it: a view of a storage, with offset and strides in elements. */
export interface StridedTensor {
  readonly kind: 'tensor';
  readonly storage: TensorStorage;
  readonly offset: number;
  readonly shape: readonly number[];
  readonly strides: readonly number[];
}

/** Anything in a pickle that is a Python object rather than a container or a scalar. */
export type PythonObject = PythonGlobal | UnknownObject | TensorStorage | StridedTensor;
