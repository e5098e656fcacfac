import { counted } from '../../errors/counted.js';
import { DataError } from '../../errors/dataError.js';
import { listed } from '../../errors/listed.js';

/** Feature vectors by row, instead of images. */
export interface FeatureSource {
  /** The features' names, in order. */
  readonly names: readonly string[];
  /** Whether the names are only numbers, `feature_0` and so on, because the file has none. */
  readonly isNumbered: boolean;
  /** Writes the features of the rows one after another into `out`; NaN for a missing value. */
  read(rows: Int32Array, out: Float32Array): Promise<void>;
  close(): Promise<void>;
}

/**
 * Numbered names for features that have none.
 *
 * @example
 * numberedNames(3) // ['feature_0', 'feature_1', 'feature_2']
 */
export function numberedNames(count: number): string[] {
  return Array.from({ length: count }, (_, i) => `feature_${i}`);
}

/** Whether these are the names that `numberedNames` returns. */
export function isNumbered(names: readonly string[]): boolean {
  return names.every((name, i) => name === `feature_${i}`);
}

/**
 * Selects the features that a model was trained with, in its order: by name, or by position
 * if one side has no names.
 *
 * @throws DataError if a feature is missing
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
      `${dataset} has ${counted(source.names.length, 'feature')}; the model takes ${wanted.length}`,
    );
  }
  throw new DataError(
    `${dataset} lacks ${missing.length} of the model's ${wanted.length} features: ${listed(missing)}`,
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
