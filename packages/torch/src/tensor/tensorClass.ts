// The tensor class without operators, which are made of it; `tensor.ts` adds them as methods.

import {
  allocate,
  type Device,
  type Dtype,
  dtypeOfCode,
  type MemoryFormat,
  memoryFormatCode,
  type TypedArray,
} from '../native/dtype.js';
import { native } from '../native/native.js';
import { place, TensorHandle } from './handle.js';
import { disown, own } from './memory.js';

export type NestedArray = number | bigint | boolean | NestedArray[];

/**
 * A multi-dimensional array on a device, which optionally records gradients.
 *
 * @example
 * const x = tensor([[1, 2], [3, 4]], { requiresGrad: true });
 * x.mul(x).sum().backward();
 * x.grad?.toArray() // [[2, 4], [6, 8]]
 */
export class Tensor extends TensorHandle {
  #shape: readonly number[] | undefined;

  constructor(place: number) {
    super(place);
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

  /** Takes over another tensor's data, while this object and its links in the autograd graph stay. */
  setData(source: Tensor): void {
    native.setData(place(this, 'setData'), place(source, 'setData'));
    this.#shape = undefined;
  }

  /** Frees the tensor now; any later use throws. */
  override dispose(): void {
    if (this.place < 0) return;
    disown(this);
    native.dispose(this.place);
    this.place = -1;
  }
}

/** Wraps a place that the addon returned. */
export function wrap(placeOfResult: number): Tensor {
  return new Tensor(placeOfResult);
}

export function wrapAll(results: Int32Array): Tensor[];
export function wrapAll(results: readonly number[], count: 2): [Tensor, Tensor];
export function wrapAll(results: readonly number[], count: 3): [Tensor, Tensor, Tensor];
export function wrapAll(results: readonly number[], count: 4): [Tensor, Tensor, Tensor, Tensor];
export function wrapAll(results: Int32Array | readonly number[]): Tensor[] {
  return Array.from(results, (result) => new Tensor(result));
}
