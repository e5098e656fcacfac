import { DataError } from '../../errors/dataError.js';
import { type FeatureSource, numberedNames } from '../dataset/featureSource.js';

/** Collects a table's feature vectors in memory, four bytes per number. */
export interface FeatureMatrixBuilder {
  /** Adds a row; all rows have the same number of features. NaN stands for a missing value. */
  add(values: ArrayLike<number>): void;
  /** Without names, the features are numbered. */
  finish(names?: readonly string[]): FeatureSource;
}

/** This many numbers are allocated at a time, so that a growing table is never copied. */
const chunkNumbers = 1 << 20;

/**
 * Creates an empty builder for vectors with `width` features.
 *
 * @example
 * const features = featureMatrixBuilder(2);
 * features.add([0.5, 1]);
 * await features.finish(['width', 'height']).read(Int32Array.of(0), out)
 */
export function featureMatrixBuilder(width: number): FeatureMatrixBuilder {
  const rowsPerChunk = Math.max(1, Math.floor(chunkNumbers / Math.max(1, width)));
  const chunks: Float32Array[] = [];
  let rows = 0;
  return {
    add(values) {
      const at = rows % rowsPerChunk;
      if (at === 0) chunks.push(new Float32Array(rowsPerChunk * width));
      chunks.at(-1)!.set(values, at * width);
      rows += 1;
    },
    finish(names) {
      return {
        names: names ?? numberedNames(width),
        isNumbered: names === undefined,
        async read(wanted, out) {
          wanted.forEach((row, i) => {
            if (row < 0 || row >= rows) throw new RangeError(`row ${row} of ${rows}`);
            const start = (row % rowsPerChunk) * width;
            out.set(chunks[Math.floor(row / rowsPerChunk)]!.subarray(start, start + width), i * width);
          });
        },
        close: async () => {},
      };
    },
  };
}

/**
 * A cell of a feature column as a number; NaN if it is empty or marks a missing value.
 *
 * @example
 * featureCell('0.25', 'width', () => 'wheat.csv, line 3') // 0.25
 */
export function featureCell(text: string, column: string, where: () => string): number {
  const value = decimal(text);
  if (Number.isFinite(value)) return narrowed(value, text, column, where);
  if (isBlank(text) || /^(nan|na|null|none|\?)$/i.test(text.trim())) return Number.NaN;
  if (/^(true|false)$/i.test(text.trim())) return text.trim().toLowerCase() === 'true' ? 1 : 0;
  throw new DataError(
    `${where()}: feature '${column}' is '${text}'; expected a number, or an empty cell for a missing value`,
  );
}

/**
 * Parses a decimal number; NaN if it is not one. JavaScript would accept 0x1f, 0b11, and 0o17, but in
 * a table they are damaged.
 *
 * @example
 * decimal(' 1e-3 ') // 0.001
 */
export function decimal(text: string): number {
  return isBlank(text) || /^\s*0[xbo]/i.test(text) ? Number.NaN : Number(text);
}

/** Refuses a number beyond the range of single precision, in which numbers are kept. */
export function narrowed(value: number, text: string, column: string, where: () => string): number {
  if (Number.isFinite(Math.fround(value))) return value;
  throw new DataError(
    `${where()}: feature '${column}' is ${text}, which is beyond the range of single precision (3.4e38)`,
  );
}

function isBlank(text: string): boolean {
  return text.trim() === '';
}
