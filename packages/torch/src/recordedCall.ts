// What a recording consists of.

import type { Dtype } from './dtype.js';
import type { Scalar } from './native.js';
import type { Tensor } from './tensor.js';

/** A value of a recording. What an operator writes in place is another value, although the tensor is the same. */
export class RecordedTensor {
  readonly id: number;
  readonly shape: readonly number[];
  readonly dtype: Dtype;
  /** The tensor itself where it does not depend on the inputs: a weight, or what was computed from weights alone. */
  readonly constant: Tensor | undefined;
  /** Of a constant that was named. */
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
  /** With the overload: `aten::add.Tensor`. */
  readonly operator: string;
  /** By the schema's names; undefined where the caller left the default. */
  readonly values: Readonly<Record<string, RecordedValue>>;
  /** Of an operator that writes in place: the tensor's new value. */
  readonly results: readonly RecordedTensor[];
}
