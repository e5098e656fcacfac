// Class balancing by the effective number of samples. Cui et al., "Class-Balanced Loss Based on Effective Number of
// Samples", arXiv 1901.05555, with a weight for the negative instances as in arXiv 2506.05721.

/** A weight for each class, and one for instances without any class. */
export interface ClassBalance {
  readonly classWeights: ArrayLike<number>;
  readonly negativeWeight: number;
}

/** Options for the weights. */
export interface EffectiveNumberOptions {
  /** From 0 (equal weights) to just below 1 (inverse frequency). Default 0.9999. */
  readonly beta?: number;
  /** What to do with a class without samples: throw (default), or give it weight 0. */
  readonly emptyClass?: 'throw' | 'zero';
  /** For error messages. */
  readonly classNames?: readonly string[];
}

/**
 * Returns weights (1 - β) / (1 - β^n) for the M classes and the negatives, scaled to a mean of 1 over all M + 1.
 *
 * Without any negatives, the classes are balanced among themselves, with a mean of 1 over the M, and the negative weight
 * is 1. It then applies to rows whose known labels are all 0, but which have unknown labels and so are not negatives.
 *
 * @example
 * effectiveNumberWeights([10, 100, 1000], 5000)
 * // classWeights 3.59229603, 0.36084837, 0.03773026; negativeWeight 0.00912534
 */
export function effectiveNumberWeights(
  classCounts: ArrayLike<number>,
  negativeCount: number,
  options: EffectiveNumberOptions = {},
): ClassBalance & { readonly classWeights: Float64Array } {
  const { beta = 0.9999, emptyClass = 'throw', classNames } = options;
  if (!(beta >= 0 && beta < 1)) throw new RangeError(`beta is ${beta}; expected from 0 to below 1`);
  if (classCounts.length === 0) throw new RangeError('classCounts is empty; expected one count per class');
  checkCount('the negatives', negativeCount);
  const inverses = Array.from(classCounts, (count, j) => {
    const name = `class ${classNames?.[j] ?? j}`;
    checkCount(name, count);
    if (count > 0) return inverseEffectiveNumber(count, beta);
    if (emptyClass === 'zero') return 0;
    throw new RangeError(
      `the count of ${name} is 0, which gives an infinite weight; leave it out, or set emptyClass to 'zero'`,
    );
  });
  if (negativeCount > 0) inverses.push(inverseEffectiveNumber(negativeCount, beta));
  const total = inverses.reduce((sum, inverse) => sum + inverse, 0);
  if (total === 0) throw new RangeError('every count is 0; expected one or more samples');
  const weights = Float64Array.from(inverses, (inverse) => (inverses.length * inverse) / total);
  const classes = classCounts.length;
  return { classWeights: weights.slice(0, classes), negativeWeight: weights[classes] ?? 1 };
}

function checkCount(name: string, count: number): void {
  if (!(count >= 0 && count < Number.POSITIVE_INFINITY)) {
    throw new RangeError(`the count of ${name} is ${count}; expected a finite number of at least 0`);
  }
}

// 1 - β^n loses digits to cancellation if β is near 1; expm1 and log1p keep them.
function inverseEffectiveNumber(count: number, beta: number): number {
  if (beta === 0) return 1;
  return (1 - beta) / -Math.expm1(count * Math.log1p(beta - 1));
}
