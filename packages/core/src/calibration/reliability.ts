// Reliability diagrams and the expected calibration error. Guo et al., "On Calibration of Modern Neural Networks",
// arXiv 1706.04599. For one class: how often it is present among the rows with a predicted probability near p.

import { ROW_POSITIVE, ROW_UNDECIDED } from '../labels/instancePresence.js';
import { presenceProbability, presenceScores } from '../metrics/presence.js';
import { type CheckedScores, checkScored, type Scored, UNKNOWN } from '../metrics/scored.js';
import { checkProbabilities } from './probabilityLogits.js';

/** Options for the curves. */
export interface ReliabilityOptions {
  /** The number of equal bins in [0, 1]. Default 15. */
  readonly bins?: number;
  /**
   * The probability of 'any class': the highest class probability, which is what a shared threshold is compared with
   * (default), or 1 - Π (1 - p), as if the classes were independent.
   */
  readonly anyClass?: 'highest' | 'independent';
}

/** One bin of a reliability curve; bins without rows are left out. */
export interface ReliabilityBin {
  readonly from: number;
  readonly to: number;
  readonly count: number;
  readonly meanProbability: number;
  readonly observedRate: number;
}

export interface ReliabilityCurve {
  readonly bins: readonly ReliabilityBin[];
  /** The expected calibration error: the row-weighted mean of |observed rate - mean probability|; null without rows. */
  readonly ece: number | null;
  /** The mean squared difference between probability and label; null without rows. */
  readonly brier: number | null;
}

export interface Reliability {
  readonly classNames: readonly string[];
  /** One curve per class. */
  readonly perClass: readonly ReliabilityCurve[];
  readonly anyClass: ReliabilityCurve;
  /** Classes without any known label, whose metrics are null. */
  readonly undefinedClasses: readonly string[];
}

/**
 * Measures how reliable the probabilities are, per class and for 'any class'.
 *
 * @example
 * const scored = { scores: new Float64Array([0.9, 0.7, 0.2, 0.1]), targets: [1, 0, 0, 0], classNames: ['crack'] };
 * const { perClass } = reliability(scored, { bins: 2 });
 * // ece 0.225, brier 0.1375 ((0.01 + 0.49 + 0.04 + 0.01) / 4)
 */
export function reliability(scored: Scored, options: ReliabilityOptions = {}): Reliability {
  const { bins = 15, anyClass = 'highest' } = options;
  if (!Number.isInteger(bins) || bins < 1)
    throw new RangeError(`bins is ${bins}; expected a positive integer`);
  const checked = checkScored(scored);
  const { scores, labels, classNames } = checked;
  checkProbabilities(scores, classNames);
  const perClass = classNames.map((_, j) => curveOf(scores, labels, j, classNames.length, bins));
  const any = anyClassColumn(checked, anyClass);
  return {
    classNames,
    perClass,
    anyClass: curveOf(any.probabilities, any.labels, 0, 1, bins),
    undefinedClasses: classNames.filter((_, j) => perClass[j]!.ece === null),
  };
}

function curveOf(
  probabilities: ArrayLike<number>,
  labels: Int8Array,
  first: number,
  stride: number,
  bins: number,
): ReliabilityCurve {
  const counts = new Float64Array(bins);
  const sums = new Float64Array(bins);
  const present = new Float64Array(bins);
  let squares = 0;
  let rows = 0;
  for (let i = first; i < labels.length; i += stride) {
    const label = labels[i]!;
    if (label === UNKNOWN) continue;
    const probability = probabilities[i]!;
    const bin = Math.min(bins - 1, Math.floor(probability * bins));
    counts[bin] = counts[bin]! + 1;
    sums[bin] = sums[bin]! + probability;
    present[bin] = present[bin]! + label;
    squares += (probability - label) ** 2;
    rows++;
  }
  let distance = 0;
  const filled: ReliabilityBin[] = [];
  counts.forEach((count, bin) => {
    if (count === 0) return;
    const meanProbability = sums[bin]! / count;
    const observedRate = present[bin]! / count;
    distance += count * Math.abs(observedRate - meanProbability);
    filled.push({ from: bin / bins, to: (bin + 1) / bins, count, meanProbability, observedRate });
  });
  return {
    bins: filled,
    ece: rows === 0 ? null : distance / rows,
    brier: rows === 0 ? null : squares / rows,
  };
}

function anyClassColumn(
  { scores, rowKinds, rows, classNames }: CheckedScores,
  how: 'highest' | 'independent',
) {
  const probabilities = presenceScores(scores, classNames.length).map(presenceProbability);
  const anyLabels = new Int8Array(rows);
  for (let i = 0, row = 0; row < rows; row++) {
    let highest = 0;
    for (let j = 0; j < classNames.length; j++, i++) highest = Math.max(highest, scores[i]!);
    const kind = rowKinds[row];
    anyLabels[row] = kind === ROW_UNDECIDED ? UNKNOWN : Number(kind === ROW_POSITIVE);
    if (how === 'highest') probabilities[row] = highest;
  }
  return { probabilities, labels: anyLabels };
}
