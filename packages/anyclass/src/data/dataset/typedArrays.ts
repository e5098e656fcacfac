/** An Int32Array that grows: a million numbers without boxing. */
export interface GrowingInt32 {
  readonly length: number;
  push(value: number): void;
  finish(): Int32Array;
}

/**
 * Creates an empty array.
 *
 * @example
 * const rows = growingInt32();
 * rows.push(4);
 * rows.finish() // Int32Array [4]
 */
export function growingInt32(): GrowingInt32 {
  let values = new Int32Array(1024);
  let length = 0;
  return {
    get length() {
      return length;
    },
    push(value) {
      if (length === values.length) {
        const larger = new Int32Array(values.length * 2);
        larger.set(values);
        values = larger;
      }
      values[length++] = value;
    },
    finish: () => values.slice(0, length),
  };
}

/** A Float32Array that grows. */
export interface GrowingFloat32 {
  push(value: number): void;
  finish(): Float32Array;
}

/**
 * Creates an empty array.
 *
 * @example
 * const targets = growingFloat32();
 * targets.push(0.5);
 * targets.finish() // Float32Array [0.5]
 */
export function growingFloat32(): GrowingFloat32 {
  let values = new Float32Array(1024);
  let length = 0;
  return {
    push(value) {
      if (length === values.length) {
        const larger = new Float32Array(values.length * 2);
        larger.set(values);
        values = larger;
      }
      values[length++] = value;
    },
    finish: () => values.slice(0, length),
  };
}
