import { type FeatureSource, numberedNames } from '../dataset/featureSource.js';

/** Collects a table's feature vectors in memory, four bytes per number. */
export interface FeatureMatrixBuilder {
  /** Adds a row; all rows have the same number of features. NaN stands for a missing value. */
  add(values: ArrayLike<number>): void;
  /** Without names, the features are numbered. */
  finish(names?: readonly string[]): FeatureSource;
}

/** This many numbers are allocated at a time, so that no more of a growing table is ever copied. */
const chunkNumbers = 1 << 20;
/** The first chunk begins with this many rows and doubles: most tables are small. */
const firstRows = 64;

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
      const begun = rows === 0 ? Math.min(firstRows, rowsPerChunk) : rowsPerChunk;
      if (at === 0) chunks.push(new Float32Array(begun * width));
      let chunk = chunks.at(-1)!;
      if ((at + 1) * width > chunk.length) {
        const larger = new Float32Array(Math.min(2 * chunk.length, rowsPerChunk * width));
        larger.set(chunk);
        chunks[chunks.length - 1] = larger;
        chunk = larger;
      }
      chunk.set(values, at * width);
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
