import type { FeatureSource } from '../dataset/featureSource.js';

const rowsAtOnce = 4096;

/** Statistics of each feature over the given rows. */
export interface FittedFeatures {
  readonly mean: Float32Array;
  /** 1 for a feature that does not vary. */
  readonly std: Float32Array;
  /** Features with the same value in all rows, or always missing. */
  readonly constant: readonly string[];
  /** Missing values over all rows and features. */
  readonly missing: number;
}

/**
 * Computes the mean and standard deviation of each feature over some rows, ignoring missing values.
 * Takes two passes, each with a few thousand rows in memory: a single pass would lose the deviation of
 * features that are far from 0.
 *
 * @example
 * (await fitStandardization(dataset.features, dataset.splits.train)).mean[0]
 */
export async function fitStandardization(source: FeatureSource, rows: Int32Array): Promise<FittedFeatures> {
  const width = source.names.length;
  const counts = new Float64Array(width);
  const mean = new Float64Array(width);
  await eachValue(source, rows, (value, j) => {
    counts[j] = counts[j]! + 1;
    mean[j] = mean[j]! + (value - mean[j]!) / counts[j]!;
  });
  const squares = new Float64Array(width);
  await eachValue(source, rows, (value, j) => {
    squares[j] = squares[j]! + (value - mean[j]!) ** 2;
  });
  const std = Float32Array.from(squares, (sum, j) => Math.sqrt(sum / Math.max(1, counts[j]!)));
  const varies = (j: number) => std[j]! > 1e-7 * Math.max(1e-30, Math.abs(mean[j]!));
  return {
    mean: Float32Array.from(mean),
    std: std.map((deviation, j) => (varies(j) ? deviation : 1)),
    constant: source.names.filter((_, j) => !varies(j)),
    missing: rows.length * width - counts.reduce((sum, count) => sum + count, 0),
  };
}

async function eachValue(
  source: FeatureSource,
  rows: Int32Array,
  take: (value: number, feature: number) => void,
): Promise<void> {
  const width = source.names.length;
  const values = new Float32Array(Math.min(rows.length, rowsAtOnce) * width);
  for (let start = 0; start < rows.length; start += rowsAtOnce) {
    const some = rows.subarray(start, start + rowsAtOnce);
    await source.read(some, values);
    for (let i = 0; i < some.length * width; i++) {
      const value = values[i]!;
      if (!Number.isNaN(value)) take(value, i % width);
    }
  }
}
