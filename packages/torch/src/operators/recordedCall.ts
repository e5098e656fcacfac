// The parts of a recording.

import type { Dtype } from '../native/dtype.js';
import type { Scalar } from '../native/native.js';
import type { Tensor } from '../tensor/tensor.js';

/** A value in a recording. Writing a tensor in place creates a new value, although the tensor is the same. */
export class RecordedTensor {
  readonly id: number;
  readonly shape: readonly number[];
  readonly dtype: Dtype;
  /** The tensor itself, if it does not depend on the inputs: a weight, or something computed from weights alone. */
  readonly constant: Tensor | undefined;
  /** Name of a constant, if it was given one. */
  readonly name: string | undefined;

  constructor(id: number, of: Pick<Tensor, 'shape' | 'dtype'>, constant?: Tensor, name?: string) {
    this.id = id;
    this.shape = of.shape;
    this.dtype = of.dtype;
    this.constant = constant;
    this.name = name;
  }
}

export type RecordedValue =
  | RecordedTensor
  | readonly (RecordedTensor | null)[]
  | Scalar
  | readonly Scalar[]
  | string
  | null
  | undefined;

/** A call whose results depend on the inputs. */
export interface RecordedCall {
  /** Name with overload, such as `aten::add.Tensor`. */
  readonly operator: string;
  /** Arguments by the schema's names; undefined if the caller left the default. */
  readonly values: Readonly<Record<string, RecordedValue>>;
  /** For an operator that writes in place, the tensor's new value. */
  readonly results: readonly RecordedTensor[];
}
