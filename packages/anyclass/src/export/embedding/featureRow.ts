// Feature vectors as they are written, whatever the format.

import type { SplitName } from '../../data/dataset/dataset.js';

/** A row to write. */
export interface FeatureRow {
  readonly name: string;
  readonly split: SplitName;
  readonly group: string | undefined;
  /** One per class: 0 to 1, or NaN for unknown. */
  readonly labels: ArrayLike<number>;
  readonly features: Float32Array;
}

export interface FeatureFileOptions {
  readonly classes: readonly string[];
  readonly hasGroups: boolean;
  /** Number of features in a row. */
  readonly width: number;
}

/** A file being written; it appears only when it is complete. */
export interface FeatureFile {
  /** The files that will be written. */
  readonly files: readonly string[];
  add(rows: readonly FeatureRow[]): void;
  finish(): void;
  discard(): void;
}
