// A tensor as stored in a file: dtype, shape and bytes. All readers and writers of weights share this type.

/** The element types that weight files may contain, by their PyTorch names, in safetensors' order: widest first. */
export const storedDTypes = [
  'int64',
  'float64',
  'float32',
  'int32',
  'bfloat16',
  'float16',
  'int16',
  'int8',
  'uint8',
  'bool',
] as const;

/** The type of a stored tensor's elements. */
export type StoredDType = (typeof storedDTypes)[number];

/** A tensor outside the engine. `data` holds little-endian elements in row-major order, without gaps. */
export interface StoredTensor {
  readonly dtype: StoredDType;
  readonly shape: readonly number[];
  readonly data: Uint8Array;
}

/** Bytes per element. */
export const elementBytes: Readonly<Record<StoredDType, number>> = {
  float64: 8,
  float32: 4,
  float16: 2,
  bfloat16: 2,
  int64: 8,
  int32: 4,
  int16: 2,
  int8: 1,
  uint8: 1,
  bool: 1,
};

/**
 * Returns the number of elements in a shape, or `undefined` if a dimension is not a whole number of at least 0 or the
 * product is not a safe integer.
 *
 * @example
 * elementCount([2, 3, 4]) // 24
 * elementCount([]) // 1
 */
export function elementCount(shape: readonly number[]): number | undefined {
  if (!shape.every(isCount)) return undefined;
  // An empty tensor may have other dimensions whose product would overflow.
  if (shape.includes(0)) return 0;
  const count = shape.reduce((product, size) => product * size, 1);
  return Number.isSafeInteger(count) ? count : undefined;
}

/**
 * Returns the bytes that a tensor takes, or `undefined` if its shape is not valid (see `elementCount`).
 *
 * @example
 * tensorBytes('float16', [2, 3]) // 12
 */
export function tensorBytes(dtype: StoredDType, shape: readonly number[]): number | undefined {
  const count = elementCount(shape);
  if (count === undefined) return undefined;
  const bytes = count * elementBytes[dtype];
  return Number.isSafeInteger(bytes) ? bytes : undefined;
}

/**
 * Whether a value is a whole number of at least 0 that JavaScript holds exactly.
 *
 * @example
 * isCount(3) // true
 * isCount(-1) // false
 */
export function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}
