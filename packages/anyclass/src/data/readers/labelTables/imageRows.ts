// Maps images to table rows: a table has one row per image, or one per image and label.

import { DataError } from '../../../errors/dataError.js';
import { type NameTable, nameTableBuilder } from '../../dataset/nameTable.js';

/** The rows of each image. */
export interface ImageRows {
  readonly images: number;
  firstRow(image: number): number;
  /** The next row of the same image; -1 after the last. */
  nextRow(row: number): number;
}

/** One row per image. */
export function singleRows(rows: number): ImageRows {
  return { images: rows, firstRow: (image) => image, nextRow: () => -1 };
}

/**
 * Merges rows with the same name into one image. Images keep the order of their first appearance.
 *
 * @param firstRows for each row, the first row with the same name, from `NameTable.firstRows`
 *
 * @example
 * mergedRows(Int32Array.of(0, 1, 0)).images // 2
 */
export function mergedRows(firstRows: Int32Array): ImageRows {
  const next = new Int32Array(firstRows.length).fill(-1);
  const last = new Int32Array(firstRows.length);
  const first: number[] = [];
  firstRows.forEach((start, row) => {
    if (start === row) first.push(row);
    else next[last[start]!] = row;
    last[start] = row;
  });
  return { images: first.length, firstRow: (image) => first[image]!, nextRow: (row) => next[row]! };
}

/** The names of the images. */
export function namesOfImages(names: NameTable, rows: ImageRows): NameTable {
  const builder = nameTableBuilder();
  for (let image = 0; image < rows.images; image++) builder.add(names.at(rows.firstRow(image)));
  return builder.finish();
}

/**
 * Each image's value in a column (its group, its split), on which all its rows must agree.
 *
 * @param disagree returns the message for two rows of an image that differ
 */
export function valuesOfImages(
  values: Int32Array,
  rows: ImageRows,
  disagree: (first: number, other: number) => string,
): Int32Array {
  return Int32Array.from({ length: rows.images }, (_, image) => {
    const first = rows.firstRow(image);
    for (let row = rows.nextRow(first); row >= 0; row = rows.nextRow(row)) {
      if (values[row] !== values[first]) throw new DataError(disagree(first, row));
    }
    return values[first]!;
  });
}
