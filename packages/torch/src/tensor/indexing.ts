// Indexing as with Python's brackets: integers, slices, '...', new axes, and tensors of positions or booleans.

import { isFloatingPoint } from '../native/dtype.js';
import type { Scalar } from '../native/native.js';
import { place } from './handle.js';
import { tidy } from './memory.js';
import {
  copy_,
  fill_,
  full,
  index,
  indexPut_,
  select,
  slice as sliceOperator,
  unsqueeze,
} from './operators.generated.js';
import { Tensor } from './tensorClass.js';

export interface Slice {
  readonly start: number | undefined;
  readonly end: number | undefined;
  readonly step: number;
}

/** An integer, a `slice`, `'...'` for all dimensions in between, null for a new axis, or a tensor. */
export type Index = number | Slice | '...' | null | Tensor;

/**
 * A range of positions for `Tensor.at`; negative ones count from the end.
 *
 * @example
 * arange(0, 10).at(slice(2, -2, 3)).toArray() // [2, 5]
 */
export function slice(start?: number, end?: number, step = 1): Slice {
  if (!(Number.isInteger(step) && step > 0))
    throw new RangeError(`slice: the step must be a positive integer, not ${step}`);
  return { start, end, step };
}

export function readIndex(tensor: Tensor, indices: readonly Index[]): Tensor {
  return tidy(() => {
    const { view, positions } = basicIndex(tensor, indices, 'at');
    if (positions.length > 0) return index(view, positions);
    return view === tensor ? sliceOperator(tensor, 0) : view;
  });
}

export function writeIndex(tensor: Tensor, indices: readonly Index[], value: Tensor | Scalar): void {
  if (value instanceof Tensor) place(value, 'set');
  tidy(() => {
    const { view, positions } = basicIndex(tensor, indices, 'set');
    if (positions.length > 0) {
      const { dtype, device } = view;
      indexPut_(
        view,
        positions,
        value instanceof Tensor ? value.to(dtype) : full([], value, { dtype, device }),
      );
    } else if (value instanceof Tensor) {
      copy_(view, value);
    } else {
      fill_(view, value);
    }
  });
}

interface BasicIndex {
  /** The tensor after all indices but tensors. */
  readonly view: Tensor;
  /** The remaining indices for index(): null for a whole dimension; a bool tensor covers as many dimensions as it has. */
  readonly positions: readonly (Tensor | null)[];
}

function basicIndex(tensor: Tensor, indices: readonly Index[], caller: string): BasicIndex {
  const consumed = indices.reduce((sum: number, item) => sum + dimensionsTaken(item, caller), 0);
  if (consumed > tensor.ndim) {
    throw new RangeError(
      `${caller}: ${consumed} indices for a tensor of ${tensor.ndim} dimensions [${tensor.shape.join(', ')}]`,
    );
  }
  if (indices.filter((item) => item === '...').length > 1)
    throw new RangeError(`${caller}: only one '...' is allowed in an index`);
  let view = tensor;
  let dimension = 0;
  const positions: (Tensor | null)[] = [];
  const pass = (count: number) => {
    for (let i = 0; i < count; i++) positions.push(null);
    dimension += count;
  };
  for (const item of indices) {
    if (item === '...') {
      pass(tensor.ndim - consumed);
    } else if (item === null) {
      view = unsqueeze(view, dimension);
      pass(1);
    } else if (typeof item === 'number') {
      view = select(view, dimension, item);
    } else if (!(item instanceof Tensor)) {
      view = sliceOperator(view, dimension, item.start ?? null, item.end ?? null, item.step);
      pass(1);
    } else if (item.ndim > 0) {
      positions.push(item.dtype === 'bool' ? item : item.to('int64'));
      dimension += dimensionsTaken(item, caller);
    } else if (item.dtype === 'bool') {
      // A single boolean keeps or drops everything, along a new axis.
      view = unsqueeze(view, dimension);
      positions.push(item.view([1]));
      dimension += 1;
    } else {
      view = select(view, dimension, item.toNumber());
    }
  }
  // Whole dimensions at the end are implied; index_put_ miscounts them after a bool tensor.
  while (positions.at(-1) === null) positions.pop();
  return { view, positions };
}

function dimensionsTaken(item: Index, caller: string): number {
  if (item === '...' || item === null) return 0;
  if (typeof item === 'number' || isSlice(item)) return 1;
  if (!(item instanceof Tensor)) {
    throw new TypeError(
      `${caller}: an index is an integer, a slice, '...', null or a tensor, not ${typeof item}`,
    );
  }
  place(item, caller);
  if (item.dtype === 'bool') return item.ndim;
  if (isFloatingPoint(item.dtype) || item.dtype === 'uint8') {
    throw new TypeError(
      `${caller}: an index tensor must be int64 positions or a bool mask, not ${item.dtype}`,
    );
  }
  return 1;
}

function isSlice(item: unknown): item is Slice {
  return typeof item === 'object' && item !== null && !(item instanceof Tensor) && 'step' in item;
}
