// Which training images an epoch draws, and how much they count.

import type { Configuration } from '../configuration/schema.js';
import { drawnRows } from '../data/batches/order.js';
import type { LabelMatrix } from '../data/dataset/labelMatrix.js';
import { counted } from '../errors/counted.js';

export interface Sampling {
  /** How often an epoch draws each training row, on average. */
  readonly rates: Float64Array;
  /** How much a row counts in the loss; on average over an epoch, 1. Undefined if all count alike. */
  readonly weightOf?: (row: number) => number;
  readonly remark: string;
}

/**
 * The sampling of a configuration; undefined if every epoch takes every image once.
 *
 * - `negatives`: an epoch draws this share of the negatives. A drawn one stands for 1 / share of them and counts as much, so the
 *   expected gradient is that of all images up to a constant factor, and probabilities keep their meaning.
 * - `repeat`: images of rare classes are drawn √(t / f) times, f being the share of images with the class. Gupta et al., "LVIS",
 *   arXiv 1908.03195. They do not count less in return: rare classes become more probable.
 *
 * @example
 * samplingOf({ sampling: { negatives: 0.5, repeat: 0 } }, labels, rows)?.remark // 'Each epoch draws 600 of 1,000 training instances; …'
 */
export function samplingOf(
  { sampling: { negatives, repeat } }: Pick<Configuration, 'sampling'>,
  labels: LabelMatrix,
  rows: Int32Array,
): Sampling | undefined {
  if (negatives === 1 && repeat === 0) return undefined;
  const isNegative = (row: number) => labels.presence(row) === 'negative';
  const repeats = repeat > 0 ? repeatFactors(labels, rows, repeat) : undefined;
  const rates = Float64Array.from(rows, (row) =>
    isNegative(row) ? negatives : Math.max(1, ...[...labels.present(row)].map((j) => repeats?.[j] ?? 1)),
  );
  const drawn = drawnRows({ rows, rates });
  const remark = [
    `Each epoch draws ${drawn.toLocaleString('en-US')} of ${counted(rows.length, 'training instance')}`,
    ...(negatives < 1 ? [`${negatives} of the negatives, which count ${round(1 / negatives)} times`] : []),
    ...(repeats ? [`images of rare classes up to ${round(Math.max(...repeats))} times`] : []),
  ].join('; ');
  if (negatives === 1) return { rates, remark };
  const own = Float64Array.from(rows, (row) => (isNegative(row) ? 1 / negatives : 1));
  const mean =
    rates.reduce((sum, rate, i) => sum + rate * own[i]!, 0) / rates.reduce((sum, rate) => sum + rate, 0);
  return { rates, remark, weightOf: (row) => (isNegative(row) ? 1 / negatives : 1) / mean };
}

/** √(t / f) of each class, at least 1. */
function repeatFactors(labels: LabelMatrix, rows: Int32Array, threshold: number): number[] {
  const counts = new Float64Array(labels.classes);
  for (const row of rows) for (const j of labels.present(row)) counts[j] = counts[j]! + 1;
  return Array.from(counts, (count) =>
    count > 0 ? Math.max(1, Math.sqrt((threshold * rows.length) / count)) : 1,
  );
}

function round(value: number): number {
  return Number(value.toPrecision(3));
}
