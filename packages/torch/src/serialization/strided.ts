// Converts PyTorch's views (any strides into a storage) to row-major bytes.

/** A view of a storage, counted in elements. The last element must lie inside the storage. */
export interface StridedView {
  readonly shape: readonly number[];
  readonly strides: readonly number[];
  readonly offset: number;
}

/**
 * Returns how many elements a storage must have for a view of it: one more than the view's last position.
 *
 * @example
 * neededLength({ shape: [2, 3], strides: [1, 2], offset: 4 }) // 10
 */
export function neededLength({ shape, strides, offset }: StridedView): number {
  if (shape.includes(0)) return 0;
  return shape.reduce((last, size, dimension) => last + (size - 1) * strides[dimension]!, offset) + 1;
}

/**
 * Whether a view's elements are consecutive in the storage, so that nothing has to be moved.
 *
 * @example
 * isContiguous({ shape: [2, 3], strides: [3, 1], offset: 6 }) // true
 * isContiguous({ shape: [3, 2], strides: [1, 3], offset: 0 }) // false: a transposed matrix
 */
export function isContiguous({ shape, strides }: StridedView): boolean {
  let expected = 1;
  for (let dimension = shape.length - 1; dimension >= 0; dimension--) {
    // The stride of a dimension of size 1 is never used.
    if (shape[dimension] !== 1 && strides[dimension] !== expected) return false;
    expected *= shape[dimension]!;
  }
  return true;
}

/**
 * Copies the elements of a view in row-major order. `storage` starts on a multiple of 8 in its buffer.
 *
 * @example
 * gather(new Uint8Array([1, 2, 3, 4]), 1, { shape: [2, 2], strides: [1, 2], offset: 0 }) // [1, 3, 2, 4]
 */
export function gather(
  storage: Uint8Array,
  elementBytes: number,
  view: StridedView,
): Uint8Array<ArrayBuffer> {
  const count = view.shape.reduce((product, size) => product * size, 1);
  const gathered = new Uint8Array(count * elementBytes);
  if (count > 0) {
    copyElements(words(storage, elementBytes), words(gathered, elementBytes), elementBytes, view);
  }
  return gathered;
}

type Words = Uint8Array | Uint16Array | Uint32Array;

/** Elements are moved as integers, since loading and storing a float may lose a NaN's payload. */
function words(bytes: Uint8Array, elementBytes: number): Words {
  const { buffer, byteOffset, byteLength } = bytes;
  if (elementBytes === 1) return bytes;
  if (elementBytes === 2) return new Uint16Array(buffer, byteOffset, Math.floor(byteLength / 2));
  return new Uint32Array(buffer, byteOffset, Math.floor(byteLength / 4));
}

function copyElements(
  from: Words,
  to: Words,
  elementBytes: number,
  { shape, strides, offset }: StridedView,
): void {
  const wordsPerElement = Math.max(1, elementBytes / 4);
  // Dimensions of size 1 are dropped: they would cost a call per element and move nothing.
  const dimensions = shape.map((size, d) => ({ size, stride: strides[d]! })).filter(({ size }) => size !== 1);
  const last = dimensions.pop() ?? { size: 1, stride: 1 };
  let written = 0;

  const copyRow = (start: number): void => {
    for (let i = 0; i < last.size; i++) {
      const element = (start + i * last.stride) * wordsPerElement;
      for (let word = 0; word < wordsPerElement; word++) to[written++] = from[element + word]!;
    }
  };
  const copy = (dimension: number, start: number): void => {
    const outer = dimensions[dimension];
    if (outer === undefined) copyRow(start);
    else for (let i = 0; i < outer.size; i++) copy(dimension + 1, start + i * outer.stride);
  };
  copy(0, offset);
}
