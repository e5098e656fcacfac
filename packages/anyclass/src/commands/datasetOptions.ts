// Fields of the configuration as options: `--set`, and shorthands for the most common fields.

import { z } from 'zod';
import { parseSettings } from '../commandLine/grammar/settings.js';
import { type PlainObject, type Settings, withField, withSettings } from '../configuration/overrides.js';
import { checkParts, refuseFields } from '../configuration/parts.js';
import type { Configuration } from '../configuration/schema.js';
import { validateConfiguration } from '../configuration/validate.js';
import { folderDatasets, isPattern, matchingFiles, parseDataset } from '../data/datasetSpec.js';

/** The `--set` option of a command that accepts fields from some parts of the configuration. */
export function settingOption(what: string) {
  return z
    .array(z.string())
    .default([])
    .transform(parseSettings)
    .describe(what)
    .meta({ placeholder: 'FIELD=VALUE' });
}

/** The DATASET argument and the options for reading it; the same for every command that takes one. */
export const datasetFields = {
  dataset: z
    .string()
    .describe(
      `a folder (tables, YOLO, Pascal VOC, or a subfolder per class), .csv, .json, .parquet, .arff, .npy or .safetensors files (several, comma-separated or with *), data.yaml, NAME=DIR (${folderDatasets.join(', ')}), or digits`,
    ),
  imageFolder: z
    .string()
    .optional()
    .describe('folder that contains the images of a table')
    .meta({ placeholder: 'DIR' }),
  imageColumn: z.string().optional().describe('column with the file names').meta({ placeholder: 'NAME' }),
  labelColumn: z
    .string()
    .optional()
    .describe("column that lists each image's labels")
    .meta({ placeholder: 'NAME' }),
  groupColumn: z
    .string()
    .optional()
    .describe('column of groups that must stay in one split, such as patients')
    .meta({ placeholder: 'NAME' }),
  keep: z
    .array(z.string())
    .optional()
    .describe('keep this class; may be repeated')
    .meta({ placeholder: 'CLASS' }),
  drop: z
    .array(z.string())
    .optional()
    .describe('exclude this class; may be repeated')
    .meta({ placeholder: 'CLASS' }),
  splitFolder: z
    .string()
    .optional()
    .describe('folder with train.txt, validation.txt and test.txt')
    .meta({ placeholder: 'DIR' }),
  strict: z.boolean().default(false).describe('stop at the first unreadable image'),
  set: settingOption('set any data field, as in a configuration: data.draw.seed=7; may be repeated'),
};

/** Options that set one configuration field. */
const shorthands = {
  imageFolder: 'data.imageFolder',
  imageColumn: 'data.columns.image',
  labelColumn: 'data.columns.labels',
  groupColumn: 'data.columns.group',
  keep: 'data.keep',
  drop: 'data.drop',
  splitFolder: 'data.splitFolder',
  cache: 'data.cache',
  strict: 'data.strict',
  batchSize: 'evaluation.batchSize',
  replicates: 'evaluation.replicates',
} as const;

export interface FieldOptions extends Readonly<Partial<Record<keyof typeof shorthands, unknown>>> {
  readonly set: Settings;
}

/**
 * Returns `base` with the fields that the options set in some parts of the configuration; `--set` takes
 * precedence.
 *
 * @example
 * chosenFields({ imageFolder: 'photos', set: { 'data.draw.seed': 7 } }, ['data'])
 * // { data: { imageFolder: 'photos', draw: { seed: 7 } } }
 */
export function chosenFields(
  options: FieldOptions,
  parts: readonly (keyof Configuration)[],
  base: PlainObject = {},
): PlainObject {
  checkParts(options.set, parts);
  let fields = base;
  for (const [option, field] of Object.entries(shorthands)) {
    const value: unknown = Reflect.get(options, option);
    if (value !== undefined) fields = withField(fields, field, value);
  }
  return withSettings(fields, options.set);
}

/** Where a model is computed. */
export const deviceField = z
  .string()
  .default('auto')
  .describe('device to compute on')
  .meta({ placeholder: 'cpu|cuda' });

/** The `--force` option of a command that writes a file. */
export const force = z
  .boolean()
  .default(false)
  .describe('replace a file even if it is not an earlier output of this command');

/** The files and folders that a DATASET names, which outputs must not replace. */
export function datasetInputs(dataset: string | undefined): string[] {
  if (dataset === undefined) return [];
  const spec = parseDataset(dataset);
  if (spec.kind === 'digits') return [];
  if (spec.kind === 'known') return [spec.folder];
  return spec.paths.flatMap((path) => (isPattern(path) ? matchingFiles(path) : [path]));
}

/** The data that a DATASET and its options name. */
export function chosenData({
  dataset,
  ...options
}: FieldOptions & { readonly dataset: string }): Configuration['data'] {
  refuseFields(options.set, ['data.dataset'], 'is already given as DATASET');
  const fields = chosenFields(options, ['data'], { data: { dataset } });
  return validateConfiguration(fields, `${dataset} with the given options`).data;
}
