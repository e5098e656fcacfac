import type { Dataset } from '../data/dataset/dataset.js';
import { changedPreparation } from '../data/dataset/preparation.js';
import { type OpenOptions, openDataset } from '../data/openDataset.js';
import { UserError } from '../errors/userError.js';
import type { WeightFacts } from '../networks/weights/findWeights.js';
import type { Configuration } from './schema.js';

/**
 * Opens the data of a configuration, with images preprocessed accordingly. What it does not set comes from
 * the weights that training starts from, or else from the dataset.
 *
 * @example
 * const { preparation } = await openData(validateConfiguration({ data: { dataset: 'digits' } }).data);
 * preparation.channels // 1
 */
export async function openData(
  data: Configuration['data'],
  { mean, std }: Pick<WeightFacts, 'mean' | 'std'> = {},
): Promise<Dataset> {
  const dataset = await openDataset(data.dataset, openOptions(data));
  const own = { ...dataset.preparation, ...defined({ mean, std }) };
  try {
    if (dataset.features) {
      refuseImageFields(data, dataset.name);
      return dataset;
    }
    return { ...dataset, preparation: changedPreparation(own, data) };
  } catch (error) {
    await dataset.images.close();
    throw error;
  }
}

/** Fields that say how images are found and preprocessed. */
const imageFields = ['imageFolder', 'channels', 'mean', 'std', 'window', 'frame', 'pixelLimit'] as const;

/** Throws if a field would have no effect, because the user meant it to have one. */
function refuseImageFields(data: Configuration['data'], name: string): void {
  const field = imageFields.find((candidate) => data[candidate] !== undefined);
  if (field === undefined) return;
  throw new UserError(`data.${field} is set, but ${name} holds features, not images; unset it`, {
    setting: `data.${field}=null`,
  });
}

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
      splitFolder: data.splitFolder,
      draw,
    }),
    ...(digits && { digits: defined(digits) }),
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
