// Tensors with the operators as methods.

import { type Device, type Dtype, isDtype, type MemoryFormat } from '../native/dtype.js';
import { native, type Scalar } from '../native/native.js';
import { describeValue, place } from './handle.js';
import { type Index, readIndex, writeIndex } from './indexing.js';
import { toDtypeLayout } from './operators.generated.js';
import { formatTensor } from './print.js';
import { type NestedArray, Tensor } from './tensorClass.js';
import { TensorMethods } from './tensorMethods.generated.js';

export { type NestedArray, Tensor, wrap, wrapAll } from './tensorClass.js';

export interface Conversion {
  readonly device?: Device | undefined;
  readonly dtype?: Dtype | undefined;
  readonly memoryFormat?: MemoryFormat | undefined;
  /** Returns without waiting for a copy between pinned memory and a GPU. */
  readonly nonBlocking?: boolean | undefined;
  /** Copies even if nothing changes. */
  readonly copy?: boolean | undefined;
}

declare module './tensorClass.js' {
  interface Tensor extends OperatorMethods {}
}

/** Methods that need operators; the generated ones are the operators themselves. */
class OperatorMethods extends TensorMethods {
  /**
   * Returns the same elements on another device, with another dtype or in another layout, or all as in another tensor.
   * Shares memory if nothing changes.
   */
  to(this: Tensor, target: Device | Dtype | Conversion | Tensor): Tensor {
    place(this, 'to');
    if (typeof target === 'string') return toDtypeLayout(this, named(target));
    if (typeof target !== 'object' || target === null) {
      throw new TypeError(
        `to: expected a device, a dtype or both in an object, not ${describeValue(target)}`,
      );
    }
    if (target instanceof Tensor) {
      place(target, 'to');
      return toDtypeLayout(this, { device: target.device, dtype: target.dtype });
    }
    const { device, dtype, memoryFormat, nonBlocking, copy } = target;
    return toDtypeLayout(this, { device, dtype, memoryFormat, nonBlocking, copy });
  }

  /** Copies the elements as float32, whatever the dtype. */
  toFloat32Array(this: Tensor): Float32Array {
    place(this, 'toFloat32Array');
    const data = new Float32Array(this.numel);
    const converted = toDtypeLayout(this, { dtype: 'float32', device: 'cpu' });
    native.toBytes(converted.place, new Uint8Array(data.buffer));
    if (converted !== this) converted.dispose();
    return data;
  }

  /** Returns the elements as nested arrays of numbers; int64 as bigint, bool as boolean. */
  toArray(this: Tensor): NestedArray {
    place(this, 'toArray');
    const dtype = this.dtype;
    const half = dtype === 'float16' || dtype === 'bfloat16';
    const data = half ? this.toFloat32Array() : this.toTypedArray();
    const element = dtype === 'bool' ? (i: number) => data[i] === 1 : (i: number) => data[i] ?? 0;
    return nest(element, this.shape);
  }

  /**
   * Returns elements by position, as with Python's brackets.
   *
   * @example
   * x.at(0) // the first row
   * x.at(slice(1, 3), '...', -1) // rows 1 and 2, last column
   * x.at(mask) // where a bool tensor is true
   */
  at(this: Tensor, ...indices: readonly Index[]): Tensor {
    place(this, 'at');
    return readIndex(this, indices);
  }

  /** Writes to the elements that `at` with the same indices would read. */
  set(this: Tensor, indices: Index | readonly Index[], value: Tensor | Scalar): void {
    place(this, 'set');
    writeIndex(this, Array.isArray(indices) ? indices : [indices], value);
  }

  /** Formats the tensor the way PyTorch prints it. */
  override toString(this: Tensor): string {
    place(this, 'toString');
    return formatTensor(this);
  }

  [Symbol.for('nodejs.util.inspect.custom')](this: Tensor): string {
    return this.isDisposed ? 'Tensor (disposed)' : this.toString();
  }
}

for (const { prototype } of [TensorMethods, OperatorMethods]) {
  const { constructor: _, ...methods } = Object.getOwnPropertyDescriptors(prototype);
  Object.defineProperties(Tensor.prototype, methods);
}

function named(target: Device | Dtype): Conversion {
  return isDtype(target) ? { dtype: target } : { device: target };
}

function nest(element: (i: number) => number | bigint | boolean, shape: readonly number[]): NestedArray {
  let next = 0;
  const build = (dimension: number): NestedArray => {
    if (dimension === shape.length) return element(next++);
    return Array.from({ length: shape[dimension] ?? 0 }, () => build(dimension + 1));
  };
  return build(0);
}
