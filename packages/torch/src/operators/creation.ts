// New tensors: from JavaScript data, filled with constants or sequences, and random. Default: float32 on the CPU.

import {
  allocate,
  type Device,
  type Dtype,
  dtypeCode,
  dtypeOf,
  isFloatingPoint,
  type TypedArray,
} from '../native/dtype.js';
import { native, type Scalar } from '../native/native.js';
import { place } from '../tensor/handle.js';
import { tidy } from '../tensor/memory.js';
import * as operators from '../tensor/operators.generated.js';
import { type NestedArray, Tensor } from '../tensor/tensor.js';

export interface TensorOptions {
  readonly dtype?: Dtype;
  readonly device?: Device;
  readonly requiresGrad?: boolean;
  /** Allocates page-locked memory, from which copies to a GPU overlap with other work. Needs CUDA. */
  readonly pinMemory?: boolean;
}

export interface DataOptions extends TensorOptions {
  /** Shape of a typed array's elements; one dimension by default. */
  readonly shape?: readonly number[];
}

/**
 * Makes a tensor with a copy of the data: a number, nested arrays, or a typed array with its shape. Numbers become
 * float32, bigints int64, booleans bool, and typed arrays keep their type; a Uint16Array needs `dtype` float16 or
 * bfloat16. A number that an integer dtype cannot hold is an error.
 *
 * @example
 * tensor([[1, 2], [3, 4]]) // float32 [2, 2]
 * tensor(new BigInt64Array([1n, 2n])) // int64 [2]
 * tensor(new Float32Array(6), { shape: [2, 3] })
 */
export function tensor(data: NestedArray | TypedArray, options: DataOptions = {}): Tensor {
  const made = ArrayBuffer.isView(data) ? fromTypedArray(data, options) : fromNested(data, options);
  return finish(made, options);
}

/**
 * Runs a function on bytes without copying them: it gets a uint8 tensor on the CPU that shares their memory while the
 * function runs. The result must not share that memory, which is checked.
 *
 * @example
 * withBytes(new Uint8Array([1, 2, 3, 4]), [2, 2], (view) => view.to('float32').mean()).toNumber() // 2.5
 */
export function withBytes<T>(bytes: Uint8Array, shape: readonly number[], fn: (view: Tensor) => T): T {
  filledShape(shape, bytes.length);
  const view = new Tensor(native.borrowBytes(bytes, shape));
  const giveBack = () => {
    const alone = native.returnBytes(place(view, 'withBytes'), bytes);
    view.dispose();
    if (!alone)
      throw new Error('withBytes: a tensor still shares the memory of the bytes; return a clone instead');
  };
  let result: T;
  try {
    result = tidy(() => fn(view));
  } catch (error) {
    giveBack();
    throw error;
  }
  giveBack();
  return result;
}

export function zeros(shape: readonly number[], options: TensorOptions = {}): Tensor {
  return finish(operators.zeros(shape, kind(options)), options);
}

export function ones(shape: readonly number[], options: TensorOptions = {}): Tensor {
  return finish(operators.ones(shape, kind(options)), options);
}

export function full(shape: readonly number[], value: Scalar, options: TensorOptions = {}): Tensor {
  return finish(operators.full(shape, value, kind(options)), options);
}

/** Uninitialized memory: write before you read. */
export function empty(shape: readonly number[], options: TensorOptions = {}): Tensor {
  return finish(operators.empty(shape, kind(options)), options);
}

export function eye(size: number, options: TensorOptions = {}): Tensor {
  return finish(operators.eye(size, kind(options)), options);
}

/**
 * Numbers from `start` up to, not including, `end`.
 *
 * @example
 * arange(0, 1, 0.25).toArray() // [0, 0.25, 0.5, 0.75]
 */
export function arange(start: Scalar, end: Scalar, step: Scalar = 1, options: TensorOptions = {}): Tensor {
  return finish(operators.arange(start, end, step, kind(options)), options);
}

/** `steps` numbers from `start` to `end`, both included. */
export function linspace(start: Scalar, end: Scalar, steps: number, options: TensorOptions = {}): Tensor {
  return finish(operators.linspace(start, end, steps, kind(options)), options);
}

/** Uniform in [0, 1). */
export function rand(shape: readonly number[], options: TensorOptions = {}): Tensor {
  return finish(operators.rand(shape, kind(options)), options);
}

/** Standard normal. */
export function randn(shape: readonly number[], options: TensorOptions = {}): Tensor {
  return finish(operators.randn(shape, kind(options)), options);
}

/** Integers from `low` up to, not including, `high`; int64 by default. */
export function randint(
  low: number,
  high: number,
  shape: readonly number[],
  options: TensorOptions = {},
): Tensor {
  return finish(operators.randint(low, high, shape, kind(options, 'int64')), options);
}

/** The integers below `count` in random order, int64. */
export function randperm(count: number, options: TensorOptions = {}): Tensor {
  return finish(operators.randperm(count, kind(options, 'int64')), options);
}

// Null counts as no options.
function kind(options: TensorOptions | null, natural: Dtype = 'float32') {
  return { dtype: options?.dtype ?? natural, device: options?.device, pinMemory: options?.pinMemory };
}

function finish(made: Tensor, options: TensorOptions | null): Tensor {
  if (options?.requiresGrad) made.requiresGrad = true;
  return made;
}

function fromTypedArray(data: TypedArray, options: DataOptions | null): Tensor {
  const stored = storedDtype(data, options?.dtype);
  const shape = filledShape(options?.shape, data.length) ?? [data.length];
  const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  return placed(bytes, shape, stored, options?.dtype ?? stored, options);
}

// The dtype whose bits the array holds; conversion to another dtype comes afterwards.
function storedDtype(data: TypedArray, wanted: Dtype | undefined): Dtype {
  if (wanted === 'bool' && data instanceof Uint8Array && data.every((value) => value <= 1)) return 'bool';
  const own = dtypeOf(data);
  if (own) return own;
  if (!(data instanceof Uint16Array)) {
    throw new TypeError(
      `tensor: no dtype matches the elements of a ${Object.prototype.toString.call(data).slice(8, -1)}`,
    );
  }
  if (wanted === 'float16' || wanted === 'bfloat16') return wanted;
  throw new TypeError("tensor: a Uint16Array holds the bits of float16 or bfloat16: say which with 'dtype'");
}

function fromNested(data: NestedArray, options: DataOptions | null): Tensor {
  const flat = flatten(data);
  const shape = filledShape(options?.shape, flat.length) ?? shapeOf(data);
  const isBigint = flat.some((value) => typeof value === 'bigint');
  const isBoolean = flat.length > 0 && flat.every((value) => typeof value === 'boolean');
  const natural: Dtype = isBigint ? 'int64' : isBoolean ? 'bool' : 'float32';
  const wanted = options?.dtype ?? natural;
  dtypeCode(wanted, 'tensor');
  // Integer dtypes are filled exactly; the others go through float64, which holds every float32.
  const stored: Dtype = wanted === 'bool' || isFloatingPoint(wanted) ? 'float64' : wanted;
  return placed(bytesOf(flat, stored), shape, stored, wanted, options);
}

function bytesOf(flat: readonly (number | bigint | boolean)[], dtype: Dtype): Uint8Array {
  const bits = allocate(dtype, flat.length);
  flat.forEach((value, i) => {
    if (!isNumeric(value))
      throw new TypeError(`tensor: element ${i} is ${typeof value}; expected numbers, bigints or booleans`);
    if (bits instanceof BigInt64Array) bits[i] = Number.isInteger(Number(value)) ? BigInt(value) : 0n;
    else bits[i] = Number(value);
    if (dtype !== 'float64' && Number(bits[i]) !== Number(value))
      throw new RangeError(`tensor: element ${i} is ${value}, which ${dtype} cannot hold`);
  });
  return new Uint8Array(bits.buffer, bits.byteOffset, bits.byteLength);
}

function flatten(data: NestedArray): (number | bigint | boolean)[] {
  return Array.isArray(data) ? data.flatMap(flatten) : [data];
}

function isNumeric(value: unknown): value is number | bigint | boolean {
  return typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean';
}

function filledShape(
  shape: readonly number[] | null | undefined,
  count: number,
): readonly number[] | undefined {
  if (shape === undefined || shape === null) return undefined;
  const isShape = Array.isArray(shape) && shape.every((size) => Number.isSafeInteger(size) && size >= 0);
  if (!isShape || shape.reduce((product, size) => product * size, 1) !== count) {
    const wanted = Array.isArray(shape) ? `[${shape.map(String).join(', ')}]` : typeof shape;
    throw new RangeError(`tensor: ${count} elements do not fill the shape ${wanted}`);
  }
  return shape;
}

function shapeOf(data: NestedArray): number[] {
  if (!Array.isArray(data)) return [];
  const [first, ...others] = data.map(shapeOf);
  if (others.some((other) => other.join() !== first?.join())) {
    const rows = data.map((row) => `[${shapeOf(row).join(', ')}]`);
    throw new RangeError(`tensor: rows of different shapes: [${rows.slice(0, 4).join(', ')}]`);
  }
  return [data.length, ...(first ?? [])];
}

// Data for a GPU goes through pinned memory: a copy from other memory waits until the GPU has finished all earlier work.
// libtorch does not reuse a pinned block before the copies from it are done.
function placed(
  bytes: Uint8Array,
  shape: readonly number[],
  stored: Dtype,
  wanted: Dtype,
  options: TensorOptions | null,
): Tensor {
  const { device, pinMemory } = kind(options);
  const toGpu = device?.startsWith('cuda') === true;
  const pinned = (toGpu || pinMemory === true) && native.cudaDevices() > 0;
  const made = new Tensor(native.fromBytes(bytes, shape, dtypeCode(stored, 'tensor'), pinned));
  if (!toGpu && stored === wanted && pinned === (pinMemory ?? false)) return made;
  const result = operators.toDtypeLayout(made, { dtype: wanted, device, pinMemory, nonBlocking: toGpu });
  made.dispose();
  return result;
}
