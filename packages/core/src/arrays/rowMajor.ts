// Tables as flat arrays in row-major order: entry (row, class) is at row · classes + class.

/** Float arrays that functions accept without copying. */
export type FloatArray = Float32Array | Float64Array;

/** Returns the number of rows in a row-major array. */
export function rowsOf(name: string, length: number, classes: number): number {
  if (!Number.isInteger(classes) || classes < 1) {
    throw new RangeError(`classes is ${classes}; expected a positive integer`);
  }
  if (length % classes !== 0) {
    throw new RangeError(`${name} has ${length} entries, which are not whole rows of ${classes} classes`);
  }
  return length / classes;
}

/** Throws if an array does not have the expected length. */
export function checkLength(name: string, length: number, expected: number, reason: string): void {
  if (length !== expected) {
    throw new RangeError(`${name} has ${length} entries; expected ${expected}, ${reason}`);
  }
}
