import type { OpenOptions } from '../data/openDataset.js';
import type { Configuration } from './schema.js';

/**
 * How `openDataset` reads the data of a configuration.
 *
 * @example
 * const dataset = await openDataset(configuration.data.dataset, openOptions(configuration.data));
 */
export function openOptions({ columns = {}, draw, digits, ...data }: Configuration['data']): OpenOptions {
  return {
    ...defined({
      imageColumn: columns.image,
      labelColumn: columns.labels,
      separator: columns.separator,
      negativeLabel: columns.negative,
      groupColumn: columns.group,
      splitColumn: columns.split,
      ignoreColumns: columns.ignore,
      imageFolder: data.imageFolder,
      classes: data.classes,
      keep: data.keep,
      drop: data.drop,
      splitFolder: data.splitFolder,
      draw,
    }),
    ...(digits && { digits: defined(digits) }),
  };
}

/** Without the fields that were left out. */
export function defined<Fields extends object>(fields: Fields): Defined<Fields> {
  const kept: Defined<Fields> = {};
  for (const name in fields) {
    const value = fields[name];
    if (value !== undefined && value !== null) kept[name] = value;
  }
  return kept;
}

type Defined<Fields> = { [Name in keyof Fields]?: NonNullable<Fields[Name]> };
