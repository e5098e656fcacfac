// Checks gradients against finite differences. For a function f of tensors, backward must match the central difference
// (f(x + h) - f(x - h)) / 2h; in float64 with h near 1e-6, the two agree to about eight digits.

import { grad, keep, noGrad, setSeed, type Tensor, tensor, tidy } from '../src/index.js';

export interface GradcheckOptions {
  /** Step of the finite difference. A smaller step increases rounding errors, a larger one curvature errors. */
  readonly step?: number;
  /** Seed set before every evaluation, so that dropout and the like draw the same numbers each time. */
  readonly seed?: number;
}

/**
 * Returns the largest error in the gradients of `fn` with respect to the float64 leaves that it reads, relative to the
 * largest gradient of each leaf, and beyond what rounding in the differences explains. Results of any shape are weighted
 * with fixed numbers and summed, so that every element counts.
 *
 * @example
 * const x = tensor([1, 2, 3], { dtype: 'float64', requiresGrad: true });
 * gradientError(() => x.exp(), [x]) // about 1e-10
 */
export function gradientError(
  fn: () => Tensor | readonly Tensor[],
  leaves: readonly Tensor[],
  options: GradcheckOptions = {},
): number {
  const { step = 1e-6, seed = 0 } = options;
  for (const leaf of leaves) checkLeaf(leaf);
  const value = () => {
    setSeed(seed);
    return weighedSum(fn());
  };
  return tidy(() => {
    const result = value();
    const gradients = grad([result], leaves, { allowUnused: true });
    // Each value is rounded, so the difference of two has twice the error.
    const rounding = (4 * Number.EPSILON * Math.abs(result.toNumber())) / (2 * step);
    const errors = leaves.map((leaf, i) => {
      const analytic = gradients[i]?.toTypedArray() ?? new Float64Array(leaf.numel);
      const numeric = differences(() => tidy(() => value().toNumber()), leaf, step);
      return relativeError(Array.from(analytic, Number), numeric, rounding);
    });
    return Math.max(...errors);
  });
}

/**
 * Makes a float64 leaf of the given shape with fixed numbers between -1 and 1, all different and none near 0, away from
 * the kinks of functions such as relu.
 */
export function gradcheckInput(shape: readonly number[], scale = 1, offset = 0): Tensor {
  const count = shape.reduce((product, size) => product * size, 1);
  const values = Float64Array.from({ length: count }, (_, i) => {
    const fraction = (0.5 + i * 0.6180339887498949) % 1;
    return offset + scale * (fraction < 0.5 ? fraction * 1.8 - 1 : fraction * 1.8 - 0.8);
  });
  return keep(tensor(values, { shape, requiresGrad: true }));
}

function checkLeaf(leaf: Tensor): void {
  if (leaf.dtype !== 'float64' || !leaf.isLeaf || !leaf.requiresGrad) {
    throw new TypeError(
      `gradientError: expected float64 leaves that require gradients, not ${leaf.dtype}[${leaf.shape.join(', ')}]`,
    );
  }
}

function weighedSum(outputs: Tensor | readonly Tensor[]): Tensor {
  const list = Array.isArray(outputs) ? outputs : [outputs];
  const sums = list.map((output: Tensor) => {
    const weights = Float64Array.from({ length: output.numel }, (_, i) => Math.cos(1 + 0.7 * i));
    const weighed = output.mul(tensor(weights, { shape: output.shape }).to({ device: output.device }));
    return weighed.sum(null);
  });
  return sums.reduce((total: Tensor, sum: Tensor) => total.add(sum));
}

function differences(value: () => number, leaf: Tensor, step: number): number[] {
  const original = Float64Array.from(leaf.toTypedArray(), Number);
  const write = (values: Float64Array) =>
    noGrad(() => tidy(() => leaf.copy_(tensor(values, { shape: leaf.shape }))));
  const result = Array.from(original, (center, i) => {
    const at = (moved: number) => {
      write(original.with(i, moved));
      return value();
    };
    return (at(center + step) - at(center - step)) / (2 * step);
  });
  write(original);
  return result;
}

function relativeError(analytic: readonly number[], numeric: readonly number[], rounding: number): number {
  let difference = 0;
  let largest = 0;
  analytic.forEach((value, i) => {
    const other = numeric[i] ?? Number.NaN;
    difference = Math.max(difference, Math.abs(value - other));
    largest = Math.max(largest, Math.abs(value), Math.abs(other));
  });
  // Math.max propagates NaN, so a missing or undefined gradient fails.
  const error = Math.max(0, difference - rounding);
  return largest === 0 ? error : error / largest;
}
