import { DataError } from '../../errors/dataError.js';
import { type FeatureSource, numberedNames } from './featureSource.js';

/** Collects the feature vectors of a table in memory, four bytes a number. */
export interface FeatureMatrixBuilder {
  /** Take a row; all have the same number of features. NaN stands for a missing one. */
  add(values: ArrayLike<number>): void;
  /** Without names the features are numbered. */
  finish(names?: readonly string[]): FeatureSource;
}

/** So many numbers are allocated at a time: a table grows without being copied. */
const chunkNumbers = 1 << 20;

/**
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
 * A cell of a feature column as a number; NaN where it is empty or says that nothing was measured.
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
    `${where()}: feature '${column}' holds '${text}'; expected a number, or nothing where it is missing`,
  );
}

/**
 * The number that a text is, else NaN; 0x1f, 0b11 and 0o17 are numbers to JavaScript, and in a table damaged ones.
 *
 * @example
 * decimal(' 1e-3 ') // 0.001
 */
export function decimal(text: string): number {
  return isBlank(text) || /^\s*0[xbo]/i.test(text) ? Number.NaN : Number(text);
}

/** Numbers are kept in single precision, which ends at 3.4e38. */
export function narrowed(value: number, text: string, column: string, where: () => string): number {
  if (Number.isFinite(Math.fround(value))) return value;
  throw new DataError(
    `${where()}: feature '${column}' holds ${text}, which is beyond single precision (3.4e38)`,
  );
}

function isBlank(text: string): boolean {
  return text.trim() === '';
}
