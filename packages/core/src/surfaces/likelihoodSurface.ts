import { absentWeight } from '../losses/anyClass.js';
import { checkShare } from '../losses/lossArguments.js';
import {
  type ClassPart,
  classPart,
  type LikelihoodOptions,
  type LikelihoodQuantity,
  logLikelihood,
} from './likelihood.js';

/** One surface over the probabilities of two classes. */
export interface SurfaceOptions extends LikelihoodOptions {
  readonly quantity: LikelihoodQuantity;
  /** (y1, y2). */
  readonly targets: readonly [number, number];
  /** Give -log of the quantity, the loss. Default false. */
  readonly negativeLog?: boolean;
  /** Points along each side. Default 99. */
  readonly steps?: number;
  /** The first probability. Default 0.01. */
  readonly from?: number;
  /** The last probability. Default 0.99. */
  readonly to?: number;
}

/** Values row by row: entry (i, k) belongs to p1 = axis[k] and p2 = axis[i]. */
export interface Surface {
  readonly axis: Float64Array;
  readonly values: Float64Array;
}

/**
 * The two-class likelihood surfaces of the paper's appendix. The logarithms are taken along the two sides only,
 * so that a fine grid can be redrawn while a slider moves.
 *
 * @example
 * const { axis, values } = likelihoodSurface({ quantity: 'any-class', targets: [1, 0], lambda: 1, steps: 3 });
 * // axis 0.01, 0.5, 0.99; values[4] is 0.5, at p1 = p2 = 0.5
 */
export function likelihoodSurface(options: SurfaceOptions): Surface {
  const { quantity, targets, lambda = 0.02, alpha = 1, negativeLog = false } = options;
  const { steps = 99, from = 0.01, to = 0.99 } = options;
  checkShare('lambda', lambda);
  checkShare('alpha', alpha);
  checkShare('targets[0]', targets[0]);
  checkShare('targets[1]', targets[1]);
  if (!Number.isInteger(steps) || steps < 2) {
    throw new RangeError(`steps is ${steps}; expected an integer of at least 2`);
  }
  if (!(from >= 0 && from < to && to <= 1)) {
    throw new RangeError(`the axis runs from ${from} to ${to}; expected rising probabilities`);
  }
  const axis = Float64Array.from({ length: steps }, (_, i) => from + ((to - from) * i) / (steps - 1));
  const anyTarget = Math.max(...targets);
  const absent = absentWeight(anyTarget, lambda);
  const [first, second] = targets.map((target) => Array.from(axis, (p) => classPart(p, target, absent)));
  const values = new Float64Array(steps * steps);
  const sums: ClassPart = { presence: 0, absence: 0, bce: 0, weight: 0 };
  second!.forEach((b, i) => {
    first!.forEach((a, k) => {
      sums.presence = a.presence + b.presence;
      sums.absence = a.absence + b.absence;
      sums.bce = a.bce + b.bce;
      sums.weight = a.weight + b.weight;
      const logarithm = logLikelihood(quantity, sums, anyTarget, alpha);
      values[i * steps + k] = negativeLog ? -logarithm : Math.exp(logarithm);
    });
  });
  return { axis, values };
}
