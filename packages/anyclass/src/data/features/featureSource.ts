import { counted } from '../../errors/counted.js';
import { DataError } from '../../errors/dataError.js';
import { listed } from '../../errors/listed.js';

/** Feature vectors by row, in place of images. */
export interface FeatureSource {
  /** One a feature, in their order. */
  readonly names: readonly string[];
  /** The names are only numbered, `feature_0` and so on: the file holds none. */
  readonly isNumbered: boolean;
  /** Write the features of rows one after another into `out`; NaN where one is missing. */
  read(rows: Int32Array, out: Float32Array): Promise<void>;
  close(): Promise<void>;
}

/**
 * Names for features that have none.
 *
 * @example
 * numberedNames(3) // ['feature_0', 'feature_1', 'feature_2']
 */
export function numberedNames(count: number): string[] {
  return Array.from({ length: count }, (_, i) => `feature_${i}`);
}

/** Whether these are names that `numberedNames` gave. */
export function isNumbered(names: readonly string[]): boolean {
  return names.every((name, i) => name === `feature_${i}`);
}

/**
 * The features that a model was trained with, in its order: by name, or by place where one side has no names.
 *
 * @throws DataError where one is missing
 *
 * @example
 * selectFeatures(source, ['width', 'height']).names // ['width', 'height'], whatever their order in the file
 */
export function selectFeatures(
  source: FeatureSource,
  wanted: readonly string[],
  dataset: string,
): FeatureSource {
  if (source.names.join('\0') === wanted.join('\0')) return source;
  const places = new Map(source.names.map((name, i) => [name, i]));
  const missing = wanted.filter((name) => !places.has(name));
  if (missing.length === 0)
    return withPlaces(
      source,
      wanted,
      Int32Array.from(wanted, (name) => places.get(name)!),
    );
  const isByPlace = source.isNumbered || isNumbered(wanted);
  if (isByPlace && source.names.length === wanted.length) {
    return { ...source, names: wanted, isNumbered: false };
  }
  if (isByPlace) {
    throw new DataError(
      `${dataset}: has ${counted(source.names.length, 'feature')}; the model takes ${wanted.length}`,
    );
  }
  throw new DataError(
    `${dataset}: lacks ${missing.length} of the ${wanted.length} features that the model takes: ${listed(missing)}`,
  );
}

function withPlaces(source: FeatureSource, names: readonly string[], places: Int32Array): FeatureSource {
  const width = source.names.length;
  return {
    names,
    isNumbered: false,
    async read(rows, out) {
      const all = new Float32Array(rows.length * width);
      await source.read(rows, all);
      for (let i = 0; i < rows.length; i++) {
        for (let k = 0; k < places.length; k++) out[i * places.length + k] = all[i * width + places[k]!]!;
      }
    },
    close: () => source.close(),
  };
}
