/** Where the points of a sweep stand on its axis. */
export interface SweepAxis {
  readonly isLogarithmic: boolean;
  /** In the axis's own unit: powers of ten, or the value itself. */
  readonly positions: readonly number[];
  /** Of each point, whether it stands by itself to the left: the standard loss, and 0 on a logarithmic axis. */
  readonly isApart: readonly boolean[];
  readonly range: readonly [number, number];
}

/**
 * Values that reach over more than one power of ten stand on a logarithmic axis, on which 0 has a place of its own to the left;
 * the standard loss (null) stands left of all.
 *
 * @example
 * sweepAxis([null, 0, 0.01, 0.1, 1]).positions // [-3, -2.5, -2, -1, 0]
 */
export function sweepAxis(values: readonly (number | null)[]): SweepAxis {
  const numbers = values.filter((value) => value !== null);
  const positive = numbers.filter((value) => value > 0);
  const isLogarithmic =
    numbers.every((value) => value >= 0) && Math.max(...positive) > 10 * Math.min(...positive);
  const scale = (value: number) => (isLogarithmic ? Math.log10(value) : value);
  const onAxis = (isLogarithmic ? positive : numbers).map(scale);
  const [low, high] = [Math.min(...onAxis), Math.max(...onAxis)];
  const gap = (high - low || 1) / 4;
  const isApart = values.map((value) => value === null || (isLogarithmic && value === 0));
  const hasZero = isLogarithmic && values.includes(0);
  const positions = values.map((value) => {
    if (value === null) return low - (hasZero ? 2 : 1) * gap;
    return isLogarithmic && value === 0 ? low - gap : scale(value);
  });
  const margin = gap / 3;
  return { isLogarithmic, positions, isApart, range: [Math.min(...positions) - margin, high + margin] };
}
