// What is in a checkpoint, while it is being read.

import type { StoredDType } from './storedTensor.js';

/** A value of Python: scalars, containers of such values, and objects of some kind besides. */
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

/** Something that Python would import: a class or a function, of which only the name is known here. */
export interface PythonGlobal {
  readonly kind: 'global';
  readonly className: string;
}

/** An instance of a class that is not known; its state is dropped. */
export interface UnknownObject {
  readonly kind: 'unknown';
  readonly className: string;
}

/** A stretch of memory that tensors view: the entry `key` of the archive. */
export interface TensorStorage {
  readonly kind: 'storage';
  readonly dtype: StoredDType;
  readonly key: string;
  /** Its length in elements. */
  readonly length: number;
}

/** A tensor as PyTorch describes it: places in a storage, all counted in elements. */
export interface StridedTensor {
  readonly kind: 'tensor';
  readonly storage: TensorStorage;
  readonly offset: number;
  readonly shape: readonly number[];
  readonly strides: readonly number[];
}

/** Anything in a pickle that is an object of Python rather than a container or a scalar. */
export type PythonObject = PythonGlobal | UnknownObject | TensorStorage | StridedTensor;
