// Labels in one column, while and after they are collected.

import type { Remark } from '../../dataset/dataset.js';
import type { LabelMatrix } from '../../dataset/labelMatrix.js';

export interface SeparatedOptions {
  readonly separator?: string | undefined;
  readonly negativeLabel?: string | undefined;
  /** The classes in order; any other label is an error. Default: all that occur, by name. */
  readonly classes?: readonly string[] | undefined;
  /** The name of the column, which is also the class if the column has only 0 and 1. */
  readonly column: string;
  /** The target of an uncertain label. */
  readonly uncertain: number;
  /** The place of a row, for messages. */
  placeOf(row: number): string;
  /** The name of a row's image, for messages. */
  nameOf(row: number): string;
}

export interface CollectedLabels {
  readonly labels: LabelMatrix;
  readonly classes: readonly string[];
  readonly remarks: readonly Remark[];
}

/** The distinct cells of a table, and which of them each row has. */
export interface LabelCells {
  /** The indices of the classes in each cell. */
  readonly indices: readonly (readonly number[])[];
  readonly classes: readonly string[];
  readonly codes: Int32Array;
}
