// What the losses refuse, each with the value and its place.

/** Arrays that the losses compute on without copying. */
export type FloatArray = Float32Array | Float64Array;

/** α and λ. */
export function checkShare(name: string, value: number): void {
  if (!(value >= 0 && value <= 1)) throw new RangeError(`${name} is ${value}; expected a number from 0 to 1`);
}

/** γ. */
export function checkGamma(gamma: number): void {
  if (!(gamma >= 0 && gamma < Number.POSITIVE_INFINITY)) {
    throw new RangeError(`gamma is ${gamma}; expected a finite number of at least 0`);
  }
}

/** A label: a number from 0 to 1, or NaN for unknown. */
export function checkTarget(target: number, row: number, classIndex: number): void {
  if (target < 0 || target > 1) {
    throw new RangeError(
      `targets at row ${row}, class ${classIndex} is ${target}; expected 0 to 1, or NaN for unknown`,
    );
  }
}

/** The number of rows in a row-major array. */
export function rowsOf(name: string, length: number, classes: number): number {
  if (!Number.isInteger(classes) || classes < 1) {
    throw new RangeError(`classes is ${classes}; expected a positive integer`);
  }
  if (length % classes !== 0) {
    throw new RangeError(`${name} has ${length} entries, which are not whole rows of ${classes} classes`);
  }
  return length / classes;
}

/** That an array has the length that another one asks for. */
export function checkLength(name: string, length: number, expected: number, reason: string): void {
  if (length !== expected) {
    throw new RangeError(`${name} has ${length} entries; expected ${expected}, ${reason}`);
  }
}
