import { createHash } from 'node:crypto';
import { type Dataset, splitNames } from '../data/dataset/dataset.js';
import type { FeatureSource } from '../data/dataset/featureSource.js';
import { fitStandardization } from '../data/features/standardization.js';
import type { DuplicateGroups } from '../data/lookAlikes/duplicates.js';
import type { FeatureSummary } from './inspection.js';

export interface ExaminedFeatures {
  readonly summary: FeatureSummary;
  /** Sets of rows with identical features. */
  readonly duplicates: DuplicateGroups;
}

const rowsAtOnce = 1024;

/**
 * Reads all feature vectors: which columns are constant or have missing values, and which rows are identical.
 */
export async function examineFeatures(dataset: Dataset, source: FeatureSource): Promise<ExaminedFeatures> {
  const rows = Int32Array.from(splitNames.flatMap((split) => [...dataset.splits[split]])).sort();
  const { constant, missing } = await fitStandardization(source, rows);
  return {
    summary: { features: source.names.length, rows: rows.length, constant, missing },
    duplicates: await sameRows(source, rows),
  };
}

async function sameRows(source: FeatureSource, rows: Int32Array): Promise<DuplicateGroups> {
  const width = source.names.length;
  const values = new Float32Array(Math.min(rows.length, rowsAtOnce) * width);
  const byHash = new Map<string, number[]>();
  for (let start = 0; start < rows.length; start += rowsAtOnce) {
    const some = rows.subarray(start, start + rowsAtOnce);
    await source.read(some, values);
    for (const [i, row] of some.entries()) {
      const vector = values.subarray(i * width, (i + 1) * width);
      const bytes = new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength);
      const hash = createHash('md5').update(bytes).digest('base64');
      const found = byHash.get(hash);
      if (found) found.push(row);
      else byHash.set(hash, [row]);
    }
  }
  return [...byHash.values()].filter((set) => set.length > 1);
}
