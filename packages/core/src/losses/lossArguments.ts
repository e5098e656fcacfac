// What the losses refuse, each with the value and its place.

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

/** The base loss, which may come from a file. */
export function checkBase(base: string): void {
  if (base !== 'bce' && base !== 'focal') throw new TypeError(`base is '${base}'; expected 'bce' or 'focal'`);
}
