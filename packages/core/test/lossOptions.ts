import fc from 'fast-check';
import type { LossOptions } from '../src/losses/lossParts.js';

/** Multiples of 1/64, which are exact in every float type. */
const share = fc.integer({ min: 0, max: 64 }).map((part) => part / 64);

const exponent = fc.constantFrom(0, 0.5, 1, 2, 3.5, 4);

/** Every base with random parameters, including those that the base does not use. */
export const lossOptions: fc.Arbitrary<Required<LossOptions>> = fc.record({
  base: fc.constantFrom('bce', 'focal', 'asl'),
  alpha: share,
  lambda: share,
  gamma: exponent,
  gammaPositive: fc.oneof(fc.constant(1), exponent),
  gammaNegative: fc.oneof(fc.constant(4), exponent),
  // Not near the probability of a logit that is a multiple of 1/8, since their difference would have few digits.
  clip: fc.constantFrom(0, 1 / 16, 1 / 16, 19 / 64, 11 / 16),
  smoothing: fc.constantFrom(0, 0, 0.125, 0.75),
});

/** A weight for each class and for the negatives. */
export const balanceOf = (classes: number) =>
  fc.record({
    classWeights: fc.array(share, { minLength: classes, maxLength: classes }),
    negativeWeight: share,
  });
