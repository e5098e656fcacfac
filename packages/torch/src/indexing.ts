// Indexing as in Python's brackets: integers, slices, '...', new axes, and tensors of positions or of truth values.

import type { Scalar } from './native.js';
import {
  copy_,
  fill_,
  index,
  indexPut_,
  select,
  slice as sliceOperator,
  unsqueeze,
} from './operators.generated.js';
import { Tensor } from './tensor.js';

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
  const { view, positions } = basicIndex(tensor, indices);
  return positions.some((position) => position !== null) ? index(view, positions) : view;
}

export function writeIndex(tensor: Tensor, indices: readonly Index[], value: Tensor | Scalar): void {
  const { view, positions } = basicIndex(tensor, indices);
  if (positions.some((position) => position !== null)) {
    const values =
      value instanceof Tensor ? value : fill_(view.at(...view.shape.map(() => 0)).clone(), value);
    indexPut_(view, positions, values);
  } else if (value instanceof Tensor) {
    copy_(view, value);
  } else {
    fill_(view, value);
  }
}

// Everything but tensors is a view. What remains is a tensor or nothing for each dimension, as index() takes it.
function basicIndex(
  tensor: Tensor,
  indices: readonly Index[],
): { view: Tensor; positions: (Tensor | null)[] } {
  const consumed = indices.reduce((sum: number, item) => sum + dimensionsTaken(item), 0);
  if (consumed > tensor.ndim) {
    throw new RangeError(`at: ${consumed} indices for a tensor of shape [${tensor.shape.join(', ')}]`);
  }
  if (indices.filter((item) => item === '...').length > 1)
    throw new RangeError("at: only one '...' can stand in an index");
  let view = tensor.slice(0);
  const positions: (Tensor | null)[] = [];
  for (const item of indices) {
    const dimension = positions.length;
    if (item === '...') {
      for (let i = consumed; i < tensor.ndim; i++) positions.push(null);
    } else if (item === null) {
      view = unsqueeze(view, dimension);
      positions.push(null);
    } else if (typeof item === 'number') {
      view = select(view, dimension, item);
    } else if (item instanceof Tensor) {
      positions.push(item);
      // One truth tensor covers as many dimensions as it has: index() counts them itself.
    } else {
      view = sliceOperator(view, dimension, item.start ?? null, item.end ?? null, item.step);
      positions.push(null);
    }
  }
  return { view, positions };
}

function dimensionsTaken(item: Index): number {
  if (item === '...' || item === null) return 0;
  if (item instanceof Tensor) return item.dtype === 'bool' ? item.ndim : 1;
  return 1;
}
