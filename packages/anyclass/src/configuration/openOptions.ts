// The data fields of a configuration as options for opening the data.

import type { OpenOptions } from '../data/openDataset.js';
import type { PreparedOptions } from '../data/openPrepared.js';
import type { WeightFacts } from '../networks/weights/fileFacts.js';
import type { Configuration } from './schema.js';

/**
 * Returns the options with which `openDataset` reads the data of a configuration.
 *
 * @example
 * const dataset = await openDataset(configuration.data.dataset, openOptions(configuration.data));
 */
export function openOptions({
  columns = {},
  draw,
  digits,
  ...data
}: Partial<Configuration['data']>): OpenOptions {
  return {
    ...defined({
      imageColumn: columns.image,
      labelColumn: columns.labels,
      valueColumn: columns.value,
      separator: columns.separator,
      negativeLabel: columns.negative,
      groupColumn: columns.group,
      splitColumn: columns.split,
      featureColumns: typeof columns.features === 'string' ? [columns.features] : columns.features,
      ignoreColumns: columns.ignore,
      featureFile: data.features,
      uncertain: data.uncertain,
      unlabeled: data.unlabeled,
      imageFolder: data.imageFolder,
      classes: data.classes,
      keep: data.keep,
      drop: data.drop,
      corrections: data.corrections,
      groups: data.groups,
      hashFolder: data.cache,
      splitFolder: data.splitFolder,
      draw,
    }),
    ...(digits && { digits: defined(digits) }),
  };
}

/**
 * Returns the options with which `openPrepared` opens the data of a configuration. What it does not set comes
 * from the weights that training starts from, or else from the dataset.
 *
 * @example
 * const dataset = await openPrepared(configuration.data.dataset, preparedOptions(configuration.data));
 */
export function preparedOptions(
  data: Partial<Configuration['data']>,
  { mean, std }: Pick<WeightFacts, 'mean' | 'std'> = {},
): PreparedOptions {
  const { channels, mean: ownMean, std: ownStd, window, frame, pixelLimit } = data;
  return {
    ...openOptions(data),
    preparation: defined({ channels, mean: ownMean, std: ownStd, window, frame, pixelLimit }),
    statistics: defined({ mean, std }),
  };
}

/** Drops undefined fields. */
export function defined<Fields extends object>(fields: Fields): Defined<Fields> {
  const kept: Defined<Fields> = {};
  for (const name in fields) {
    const value = fields[name];
    if (value !== undefined && value !== null) kept[name] = value;
  }
  return kept;
}

type Defined<Fields> = { [Name in keyof Fields]?: NonNullable<Fields[Name]> };
