import { DataError } from '../../errors/dataError.js';
import { listed } from '../../errors/listed.js';
import type { FeatureSource } from '../dataset/featureSource.js';
import { type FeatureMatrixBuilder, featureMatrixBuilder } from './featureMatrix.js';

/** Collects the feature vectors of tables that are read one after another. */
export interface FeatureTable {
  /**
   * Starts a file: the rows that follow have these features. The first file determines the features of all. A
   * number instead of names is the count of unnamed features.
   */
  startFile(file: string, names: readonly string[] | number): void;
  /** Adds a row, with the features in the file's order. */
  add(values: ArrayLike<number>): void;
  finish(): FeatureSource;
}

/**
 * Creates an empty table.
 *
 * @example
 * const features = featureTable();
 * features.startFile('train.csv', ['width', 'height']);
 * features.add([2, 3]);
 * features.startFile('test.csv', ['height', 'width']);
 * features.add([5, 4]); // kept as 4, 5
 */
export function featureTable(): FeatureTable {
  let matrix: FeatureMatrixBuilder | undefined;
  let first: { readonly file: string; readonly names: readonly string[] | number } | undefined;
  /**
   * The position of each of the first file's features in the current file; undefined
   * if the order is the same.
   */
  let places: readonly number[] | undefined;
  let ordered = new Float32Array(0);
  return {
    startFile(file, names) {
      if (first) {
        places = placesIn(file, names, first);
        return;
      }
      first = { file, names };
      const width = typeof names === 'number' ? names : names.length;
      matrix = featureMatrixBuilder(width);
      ordered = new Float32Array(width);
    },
    add(values) {
      if (!places) return matrix!.add(values);
      for (let i = 0; i < places.length; i++) ordered[i] = values[places[i]!]!;
      matrix!.add(ordered);
    },
    finish() {
      if (!first || !matrix) throw new Error('no file was started');
      return matrix.finish(typeof first.names === 'number' ? undefined : first.names);
    },
  };
}

function placesIn(
  file: string,
  names: readonly string[] | number,
  first: { readonly file: string; readonly names: readonly string[] | number },
): readonly number[] | undefined {
  if (typeof names === 'number' || typeof first.names === 'number') {
    if (names === first.names) return undefined;
    const count = (own: readonly string[] | number) => (typeof own === 'number' ? own : own.length);
    throw new DataError(`${file}: has ${count(names)} features, but ${first.file} has ${count(first.names)}`);
  }
  const own: readonly string[] = first.names;
  const missing = own.filter((name) => !names.includes(name));
  const added = names.filter((name) => !own.includes(name));
  if (missing.length > 0 || added.length > 0) {
    const what = missing.length > 0 ? `lacks ${listed(missing)}` : `also has ${listed(added)}`;
    throw new DataError(`${file}: has different features than ${first.file}: it ${what}`);
  }
  return own.every((name, i) => name === names[i]) ? undefined : own.map((name) => names.indexOf(name));
}
