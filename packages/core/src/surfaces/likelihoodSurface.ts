import { checkLength, type FloatArray } from '../arrays/rowMajor.js';
import { absentWeight } from '../losses/anyClass.js';
import { checkGamma, checkShare } from '../losses/lossArguments.js';
import type { LikelihoodOptions, LikelihoodQuantity } from './likelihood.js';
import { surfaceGrid, surfaceRows } from './surfaceGrid.js';

/** Which quantity a surface shows. */
export interface SurfaceKind {
  readonly quantity: LikelihoodQuantity;
  /** Show -log of the quantity, the loss. Default false. */
  readonly negativeLog?: boolean;
}

/** The grid for surfaces over the probabilities of two classes. */
export interface SurfaceGridOptions extends LikelihoodOptions {
  /** (y1, y2). */
  readonly targets: readonly [number, number];
  /** Points along each side. Default 99. */
  readonly steps?: number;
  /** The first probability. Default 0.01. */
  readonly from?: number;
  /** The last probability. Default 0.99. */
  readonly to?: number;
}

export type SurfaceOptions = SurfaceKind & SurfaceGridOptions;

/** Values in row-major order: entry (i, k) belongs to p1 = axis[k] and p2 = axis[i]. */
export interface Surface {
  readonly axis: Float64Array;
  readonly values: Float64Array;
}

/**
 * Computes a two-class likelihood surface from the paper's appendix.
 *
 * @example
 * const { axis, values } = likelihoodSurface({ quantity: 'any-class', targets: [1, 0], lambda: 1, steps: 3 });
 * // axis 0.01, 0.5, 0.99; values[4] is 0.5, at p1 = p2 = 0.5
 */
export function likelihoodSurface(options: SurfaceOptions): Surface {
  const axis = surfaceAxis(options);
  const values = new Float64Array(axis.length ** 2);
  fillValues([options], options, axis, [values]);
  return { axis, values };
}

/**
 * Computes several surfaces at once into the caller's arrays, of either precision, and returns the axis. Shared parts are
 * computed once, and the classes' logarithms only along the two sides, so that a dozen can be redrawn while a slider
 * moves.
 *
 * @example
 * const [likelihood, loss] = [new Float32Array(9), new Float32Array(9)];
 * const kinds = [{ quantity: 'combined' }, { quantity: 'combined', negativeLog: true }] as const;
 * likelihoodSurfaces(kinds, { targets: [1, 1], steps: 3 }, [likelihood, loss]);
 * // likelihood[4] is 0.125 and loss[4] 2.0794…, at p1 = p2 = 0.5
 */
export function likelihoodSurfaces(
  kinds: readonly SurfaceKind[],
  options: SurfaceGridOptions,
  values: readonly FloatArray[],
): Float64Array {
  const axis = surfaceAxis(options);
  checkLength('values', values.length, kinds.length, 'one array per surface');
  for (const [index, array] of values.entries()) {
    checkLength(`values[${index}]`, array.length, axis.length ** 2, `${axis.length} steps along each side`);
  }
  fillValues(kinds, options, axis, values);
  return axis;
}

function fillValues(
  kinds: readonly SurfaceKind[],
  { targets, lambda = 0.02, alpha = 1, gamma = 0 }: SurfaceGridOptions,
  axis: Float64Array,
  values: readonly FloatArray[],
): void {
  checkShare('lambda', lambda);
  checkShare('alpha', alpha);
  checkGamma(gamma);
  checkShare('targets[0]', targets[0]);
  checkShare('targets[1]', targets[1]);
  const anyTarget = Math.max(...targets);
  const grid = surfaceGrid(axis, targets, absentWeight(anyTarget, lambda), { anyTarget, alpha, gamma });
  const rows = kinds.map(({ quantity, negativeLog = false }, index) =>
    surfaceRows(grid, quantity, negativeLog, values[index]!),
  );
  for (let row = 0; row < axis.length; row++) {
    for (const truth of grid.truths) truth.fill(row);
    for (const fill of rows) fill(row);
  }
}

function surfaceAxis({ steps = 99, from = 0.01, to = 0.99 }: SurfaceGridOptions): Float64Array {
  if (!Number.isInteger(steps) || steps < 2) {
    throw new RangeError(`steps is ${steps}; expected an integer of at least 2`);
  }
  if (!(from >= 0 && from < to && to <= 1)) {
    throw new RangeError(`the axis runs from ${from} to ${to}; expected increasing probabilities`);
  }
  return new Float64Array(steps).map((_, i) => from + ((to - from) * i) / (steps - 1));
}
