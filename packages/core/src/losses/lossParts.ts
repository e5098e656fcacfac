// A loss is assembled from parts: a base, an optional any-class term of the same form, class balancing and a reduction.
// This file has the first two, which are plain numbers shared by arrays and tensors.

import { checkBelowOne, checkGamma, checkShare } from './lossArguments.js';
import { focalTerm, type LossTerm } from './lossTerm.js';

export interface LossOptions {
  /** Binary cross-entropy, focal loss, or asymmetric loss (ASL). */
  readonly base: 'bce' | 'focal' | 'asl';
  /** The weight of the any-class term; 0 gives the standard loss. Default 1. */
  readonly alpha?: number;
  /** The weight of absent classes in the any-class logit. Default 0.02. */
  readonly lambda?: number;
  /** The focusing exponent of `focal`; 0 gives `bce`. Default 2. */
  readonly gamma?: number;
  /** The focusing exponent of present classes in `asl`. Default 1. */
  readonly gammaPositive?: number;
  /** The focusing exponent of absent classes in `asl`. Default 4. */
  readonly gammaNegative?: number;
  /** What `asl` subtracts from the probability of absent classes; below it they cost nothing. Default 0.05. */
  readonly clip?: number;
  /** Label smoothing ε: class targets become y (1 - ε) + ε / 2. The any-class target does not change. Default 0. */
  readonly smoothing?: number;
}

/** Options with defaults filled in and the base expressed by its exponents. */
export interface LossParts {
  readonly term: LossTerm;
  readonly alpha: number;
  readonly lambda: number;
  readonly smoothing: number;
}

/**
 * Checks options and returns the loss parts they describe.
 *
 * @example
 * lossParts({ base: 'focal', alpha: 0 })
 * // { term: { gammaPositive: 2, gammaNegative: 2, clip: 0 }, alpha: 0, lambda: 0.02, smoothing: 0 }
 */
export function lossParts(options: LossOptions): LossParts {
  const { alpha = 1, lambda = 0.02, smoothing = 0 } = options;
  checkShare('alpha', alpha);
  checkShare('lambda', lambda);
  checkBelowOne('smoothing', smoothing);
  return { term: baseTerm(options), alpha, lambda, smoothing };
}

function baseTerm(options: LossOptions): LossTerm {
  const { base, gamma = 2, gammaPositive = 1, gammaNegative = 4, clip = 0.05 } = options;
  checkGamma(gamma);
  checkGamma(gammaPositive, 'gammaPositive');
  checkGamma(gammaNegative, 'gammaNegative');
  checkBelowOne('clip', clip);
  switch (base) {
    case 'bce':
      return focalTerm(0);
    case 'focal':
      return focalTerm(gamma);
    case 'asl':
      return { gammaPositive, gammaNegative, clip };
    default:
      // The value may come from a file.
      throw new TypeError(`base is '${String(base)}'; expected 'bce', 'focal' or 'asl'`);
  }
}
