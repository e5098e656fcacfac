// What pilots start from: a configuration, or data for which one is suggested, and the size of a full run.

import { existsSync, readFileSync, statSync } from 'node:fs';
import { extname } from 'node:path';
import { defined, preparedOptions } from '../configuration/openOptions.js';
import { isPlainObject, type Settings } from '../configuration/overrides.js';
import { recipeNames } from '../configuration/recipes.js';
import type { Configuration } from '../configuration/schema.js';
import { validateConfiguration } from '../configuration/validate.js';
import { closeDataset, type Dataset, instanceWord } from '../data/dataset/dataset.js';
import { openPrepared } from '../data/openPrepared.js';
import { chooseSubset } from '../data/splits/subset.js';
import { UserError } from '../errors/userError.js';
import { parsedJson } from '../files/wholeFile.js';
import { suggestConfiguration } from '../inspect/suggestConfiguration.js';
import { fitInput } from '../training/fitInput.js';
import { readConfiguration } from '../training/readConfiguration.js';
import type { FullRun } from './pilotSize.js';

export interface PilotBase {
  readonly configuration: Configuration;
  /** Whether the user chose its loss; otherwise it is only a suggestion. */
  readonly isConfigured: boolean;
  /** Remarks about the suggested configuration. */
  readonly remarks: readonly string[];
}

/**
 * Reads a configuration file, a recipe or any DATASET.
 *
 * @param data a DATASET to use instead of the configuration's
 *
 * @example
 * (await readBase('digits')).isConfigured // false
 */
export async function readBase(source: string, data: string | undefined, set: Settings): Promise<PilotBase> {
  if (data !== undefined || isConfiguration(source)) {
    const remarks: string[] = [];
    const read = await readConfiguration(source, { dataset: data, set });
    return {
      configuration: await fitInput(read, (text) => remarks.push(text)),
      isConfigured: true,
      remarks,
    };
  }
  const { configuration, remarks } = await suggestConfiguration(source, set);
  const isConfigured = Object.keys(set).some((field) => field.startsWith('loss.'));
  return { configuration: validateConfiguration(configuration, source), isConfigured, remarks };
}

/** A larger JSON file is not a configuration but a table of labels. */
const longestConfiguration = 1 << 20;

/** COCO annotations are JSON too, but a configuration names its data or a recipe. */
function isConfiguration(source: string): boolean {
  if (recipeNames.includes(source)) return true;
  const kind = extname(source);
  if (['.jsonc', '.mjs', '.js', '.mts', '.ts'].includes(kind)) return true;
  if (kind !== '.json' || !existsSync(source) || statSync(source).size > longestConfiguration) return false;
  const content = parsedJson(readFileSync(source, 'utf8'));
  // Not plain JSON, so it has comments, which no program writes into a label file.
  return (
    content === undefined ||
    (isPlainObject(content) && ('recipe' in content || isPlainObject(content['data'])))
  );
}

/** A run and the dataset it is trained on. */
export interface RunOnData extends FullRun {
  readonly dataset: string;
  /** Test images. */
  readonly test: number;
  readonly classes: number;
}

/** Returns the size of a full run. Throws if no decision can be evaluated on the validation split. */
export function fullRun(configuration: Configuration): Promise<RunOnData> {
  return sizeOfRun(configuration, refuseUndecidable);
}

/** Returns the size of a run on a dataset that `check` accepts. */
export async function sizeOfRun(
  { data, epochs }: Configuration,
  check: (dataset: Dataset) => void = () => {},
): Promise<RunOnData> {
  const dataset = await openPrepared(data.dataset, preparedOptions(data));
  try {
    check(dataset);
    const { splits, labels, name, classes } = dataset;
    const rows = data.subset ? chooseSubset(splits.train, labels, defined(data.subset)) : splits.train;
    const { validation, test } = splits;
    return {
      train: rows.length,
      validation: validation.length,
      test: test.length,
      epochs,
      classes: classes.length,
      dataset: name,
    };
  } finally {
    await closeDataset(dataset);
  }
}

/** Of each kind, one to fit a decision on and another to evaluate it on. */
const fewestOfKind = 2;

function refuseUndecidable(dataset: Dataset): void {
  const { name, labels, splits } = dataset;
  const { validation } = splits;
  const word = instanceWord(dataset);
  for (const kind of ['positive', 'negative'] as const) {
    const count = validation.reduce((sum, row) => sum + Number(labels.presence(row) === kind), 0);
    if (count >= fewestOfKind) continue;
    throw new UserError(
      `${name}: validation has ${count} ${kind} ${word}s, too few to fit decisions on some and evaluate them on others; draw other splits (data.draw), or add such ${word}s`,
    );
  }
}
