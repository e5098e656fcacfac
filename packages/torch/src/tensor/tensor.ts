// The tensor class: a place in the addon's table, with the operators as methods.

import {
  allocate,
  type Device,
  type Dtype,
  dtypeOfCode,
  isDtype,
  type MemoryFormat,
  memoryFormatCode,
  type TypedArray,
} from '../native/dtype.js';
import { native, type Scalar } from '../native/native.js';
import { type Index, readIndex, writeIndex } from './indexing.js';
import { disown, own } from './memory.js';
import { toDtypeLayout } from './operators.generated.js';
import { formatTensor } from './print.js';
import { TensorMethods } from './tensorMethods.generated.js';

export type NestedArray = number | bigint | boolean | NestedArray[];

export interface Conversion {
  readonly device?: Device | undefined;
  readonly dtype?: Dtype | undefined;
  readonly memoryFormat?: MemoryFormat | undefined;
  /** Returns without waiting for a copy between pinned memory and a GPU. */
  readonly nonBlocking?: boolean | undefined;
  /** Copies even if nothing changes. */
  readonly copy?: boolean | undefined;
}

/**
 * A multi-dimensional array on a device, which optionally records gradients.
 *
 * @example
 * const x = tensor([[1, 2], [3, 4]], { requiresGrad: true });
 * x.mul(x).sum().backward();
 * x.grad?.toArray() // [[2, 4], [6, 8]]
 */
export class Tensor extends TensorMethods implements Disposable {
  /** Its place in the addon's table; -1 once disposed of. Internal to this package. */
  place: number;
  /** Whether the garbage collector frees it, since no `tidy` owns it. Used by memory.ts only. */
  isWatched = false;
  #shape: readonly number[] | undefined;

  constructor(place: number) {
    super();
    this.place = place;
    own(this);
  }

  get shape(): readonly number[] {
    const at = place(this, 'shape');
    this.#shape ??= Object.freeze(native.shape(at));
    return this.#shape;
  }

  get strides(): readonly number[] {
    return native.strides(place(this, 'strides'));
  }

  get ndim(): number {
    return this.shape.length;
  }

  get numel(): number {
    return this.shape.reduce((product, size) => product * size, 1);
  }

  get dtype(): Dtype {
    return dtypeOfCode(native.dtype(place(this, 'dtype')));
  }

  get device(): Device {
    return native.device(place(this, 'device'));
  }

  get isPinned(): boolean {
    return native.isPinned(place(this, 'isPinned'));
  }

  get isDisposed(): boolean {
    return this.place < 0;
  }

  get isLeaf(): boolean {
    return native.isLeaf(place(this, 'isLeaf'));
  }

  get requiresGrad(): boolean {
    return native.requiresGrad(place(this, 'requiresGrad'));
  }

  set requiresGrad(on: boolean) {
    native.setRequiresGrad(place(this, 'requiresGrad'), on);
  }

  /** The gradient that `backward` accumulated, or null. */
  get grad(): Tensor | null {
    const [found = -1] = native.gradients(Int32Array.of(place(this, 'grad')));
    return found < 0 ? null : new Tensor(found);
  }

  set grad(gradient: Tensor | null) {
    native.setGradient(place(this, 'grad'), gradient === null ? null : place(gradient, 'grad'));
  }

  isContiguous(memoryFormat?: MemoryFormat | null): boolean {
    const code = memoryFormatCode(memoryFormat ?? 'contiguous', 'isContiguous');
    return native.isContiguous(place(this, 'isContiguous'), code);
  }

  /** Computes gradients with respect to the leaves this tensor depends on. Must be a scalar unless `gradient` is given. */
  backward(
    gradient: Tensor | null = null,
    options: { retainGraph?: boolean; createGraph?: boolean } = {},
  ): void {
    const seed = gradient === null ? null : Int32Array.of(place(gradient, 'backward'));
    const { createGraph = false, retainGraph = createGraph } = options;
    native.backward(Int32Array.of(place(this, 'backward')), seed, retainGraph, createGraph);
  }

  /**
   * Returns the same elements on another device, with another dtype or in another layout, or all as in another tensor.
   * Shares memory if nothing changes.
   */
  to(target: Device | Dtype | Conversion | Tensor): Tensor {
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

  /** Returns the only element: a boolean for a bool tensor, a bigint if an int64 does not fit in a number. */
  item(): number | bigint | boolean {
    return native.item(place(this, 'item'));
  }

  /** Returns the only element as a number. */
  toNumber(): number {
    return Number(this.item());
  }

  /** Copies the elements in row-major order; float16 and bfloat16 as raw bits in a Uint16Array. */
  toTypedArray(): TypedArray {
    const at = place(this, 'toTypedArray');
    const data = allocate(this.dtype, this.numel);
    native.toBytes(at, new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
    return data;
  }

  /** Copies the elements in row-major order into existing memory, which must have exactly their size. */
  copyBytesTo(bytes: Uint8Array): void {
    native.toBytes(place(this, 'copyBytesTo'), bytes);
  }

  /** Copies the elements as float32, whatever the dtype. */
  toFloat32Array(): Float32Array {
    place(this, 'toFloat32Array');
    const data = new Float32Array(this.numel);
    const converted = toDtypeLayout(this, { dtype: 'float32', device: 'cpu' });
    native.toBytes(converted.place, new Uint8Array(data.buffer));
    if (converted !== this) converted.dispose();
    return data;
  }

  /** Returns the elements as nested arrays of numbers; int64 as bigint, bool as boolean. */
  toArray(): NestedArray {
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
  at(...indices: readonly Index[]): Tensor {
    place(this, 'at');
    return readIndex(this, indices);
  }

  /** Writes to the elements that `at` with the same indices would read. */
  set(indices: Index | readonly Index[], value: Tensor | Scalar): void {
    place(this, 'set');
    writeIndex(this, Array.isArray(indices) ? indices : [indices], value);
  }

  /** Takes over another tensor's data, while this object and its links in the autograd graph stay. */
  setData(source: Tensor): void {
    native.setData(place(this, 'setData'), place(source, 'setData'));
    this.#shape = undefined;
  }

  /** Formats the tensor the way PyTorch prints it. */
  override toString(): string {
    place(this, 'toString');
    return formatTensor(this);
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return this.isDisposed ? 'Tensor (disposed)' : this.toString();
  }

  /** Frees the tensor now; any later use throws. */
  dispose(): void {
    if (this.place < 0) return;
    disown(this);
    native.dispose(this.place);
    this.place = -1;
  }

  [Symbol.dispose](): void {
    this.dispose();
  }
}

/** Wraps a place that the addon returned. */
export function wrap(placeOfResult: number): Tensor {
  return new Tensor(placeOfResult);
}

export function wrapAll(results: Int32Array): Tensor[];
export function wrapAll(results: readonly number[], count: 2): [Tensor, Tensor];
export function wrapAll(results: readonly number[], count: 3): [Tensor, Tensor, Tensor];
export function wrapAll(results: Int32Array | readonly number[]): Tensor[] {
  return Array.from(results, (result) => new Tensor(result));
}

/** Returns the place of a live tensor, or throws an error that names the calling function. */
export function place(tensor: Tensor, name: string): number {
  if (!(tensor instanceof Tensor))
    throw new TypeError(`${name}: expected a tensor, not ${describeValue(tensor)}`);
  if (tensor.place < 0) throw new Error(`${name}: the tensor has been disposed of`);
  return tensor.place;
}

export function placeOrNull(tensor: Tensor | null | undefined, name: string): number | null | undefined {
  return tensor === null || tensor === undefined ? tensor : place(tensor, name);
}

export function places(tensors: readonly Tensor[], name: string): Int32Array {
  if (!Array.isArray(tensors))
    throw new TypeError(`${name}: expected an array of tensors, not ${describeValue(tensors)}`);
  const result = new Int32Array(tensors.length);
  for (let i = 0; i < tensors.length; i++) result[i] = place(tensors[i]!, name);
  return result;
}

export function placesWithGaps(tensors: readonly (Tensor | null)[], name: string): Int32Array {
  if (!Array.isArray(tensors))
    throw new TypeError(`${name}: expected an array of tensors, not ${describeValue(tensors)}`);
  return Int32Array.from(tensors, (tensor: Tensor | null) => (tensor === null ? -1 : place(tensor, name)));
}

/** Throws unless options are an object. A number or an array, as other libraries take, would be silently ignored. */
export function checkOptions(options: object | null | undefined, name: string): void {
  const isObject = options === undefined || typeof options === 'object';
  if (!isObject || Array.isArray(options) || options instanceof Tensor)
    throw new TypeError(`${name}: expected an object of options, not ${describeValue(options)}`);
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

function describeValue(value: unknown): string {
  if (Array.isArray(value)) return 'an array';
  if (typeof value !== 'object' || value === null) return value === null ? 'null' : typeof value;
  return value.constructor?.name ?? 'an object';
}
