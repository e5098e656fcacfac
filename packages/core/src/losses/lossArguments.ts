// Argument checks for the losses; messages name the value and its place.

/** Checks α or λ. */
export function checkShare(name: string, value: number): void {
  if (!(value >= 0 && value <= 1)) throw new RangeError(`${name} is ${value}; expected a number from 0 to 1`);
}

/** Checks options that must stay below 1: the clip and label smoothing. */
export function checkBelowOne(name: string, value: number): void {
  if (!(value >= 0 && value < 1)) throw new RangeError(`${name} is ${value}; expected from 0 to below 1`);
}

/** Checks an exponent. */
export function checkGamma(gamma: number, name = 'gamma'): void {
  if (!(gamma >= 0 && gamma < Number.POSITIVE_INFINITY)) {
    throw new RangeError(`${name} is ${gamma}; expected a finite number of at least 0`);
  }
}

/** Checks a label: a number from 0 to 1, or NaN for unknown. */
export function checkTarget(target: number, row: number, classIndex: number): void {
  if (target < 0 || target > 1) {
    throw new RangeError(
      `targets at row ${row}, class ${classIndex} is ${target}; expected 0 to 1, or NaN for unknown`,
    );
  }
}
