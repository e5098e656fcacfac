/** Counts of one yes-or-no decision. */
export interface Confusion {
  readonly truePositives: number;
  readonly falsePositives: number;
  readonly falseNegatives: number;
}

/**
 * Returns the share of predictions that are correct; 0 if nothing is predicted (scikit-learn's zero_division = 0).
 *
 * @example
 * precision({ truePositives: 3, falsePositives: 1, falseNegatives: 2 }) // 0.75
 */
export function precision({ truePositives, falsePositives }: Confusion): number {
  return shareOrZero(truePositives, truePositives + falsePositives);
}

/**
 * Returns the share of positives that are found; 0 without positives.
 *
 * @example
 * recall({ truePositives: 3, falsePositives: 1, falseNegatives: 2 }) // 0.6
 */
export function recall({ truePositives, falseNegatives }: Confusion): number {
  return shareOrZero(truePositives, truePositives + falseNegatives);
}

/**
 * Returns F_β = (1 + β²) TP / ((1 + β²) TP + β² FN + FP): the harmonic mean of precision and recall, with recall weighted
 * β² times as much; 0 if it would be 0/0. Computed from the counts rather than the two rates, so that equal fractions give
 * equal numbers.
 *
 * @example
 * fBeta({ truePositives: 3, falsePositives: 1, falseNegatives: 2 }, 2) // 0.625
 */
export function fBeta({ truePositives, falsePositives, falseNegatives }: Confusion, beta: number): number {
  const square = beta * beta;
  const hits = (1 + square) * truePositives;
  return shareOrZero(hits, hits + square * falseNegatives + falsePositives);
}

/** Adds up the counts of several decisions, for micro averages. */
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
