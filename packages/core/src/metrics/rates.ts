/** Counts of one yes-or-no decision. */
export interface Confusion {
  readonly truePositives: number;
  readonly falsePositives: number;
  readonly falseNegatives: number;
}

/**
 * The share of predictions that are right; 0 where nothing is predicted (scikit-learn's zero_division = 0).
 *
 * @example
 * precision({ truePositives: 3, falsePositives: 1, falseNegatives: 2 }) // 0.75
 */
export function precision({ truePositives, falsePositives }: Confusion): number {
  return shareOrZero(truePositives, truePositives + falsePositives);
}

/**
 * The share of what is there that is found; 0 where nothing is there.
 *
 * @example
 * recall({ truePositives: 3, falsePositives: 1, falseNegatives: 2 }) // 0.6
 */
export function recall({ truePositives, falseNegatives }: Confusion): number {
  return shareOrZero(truePositives, truePositives + falseNegatives);
}

/**
 * F_β = (1 + β²) TP / ((1 + β²) TP + β² FN + FP): the harmonic mean of precision and recall with recall weighing
 * β² times as much; 0 where it would be 0/0. From the counts rather than from the two rates, so that equal fractions
 * give equal numbers.
 *
 * @example
 * fBeta({ truePositives: 3, falsePositives: 1, falseNegatives: 2 }, 2) // 0.625
 */
export function fBeta({ truePositives, falsePositives, falseNegatives }: Confusion, beta: number): number {
  const square = beta * beta;
  const hits = (1 + square) * truePositives;
  return shareOrZero(hits, hits + square * falseNegatives + falsePositives);
}

/** The counts of several decisions together, for micro averages. */
export function summed(confusions: readonly Confusion[]): Confusion {
  const total = (key: keyof Confusion) => confusions.reduce((sum, confusion) => sum + confusion[key], 0);
  return {
    truePositives: total('truePositives'),
    falsePositives: total('falsePositives'),
    falseNegatives: total('falseNegatives'),
  };
}

function shareOrZero(part: number, whole: number): number {
  return whole === 0 ? 0 : part / whole;
}
