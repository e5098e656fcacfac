// What pilots start from: a configuration, or data for which one is suggested; and how large a full run on it is.

import { existsSync, readFileSync, statSync } from 'node:fs';
import { extname } from 'node:path';
import { defined, openData } from '../configuration/openOptions.js';
import { isPlainObject } from '../configuration/overrides.js';
import { readConfiguration } from '../configuration/readConfiguration.js';
import { recipeNames } from '../configuration/recipes.js';
import type { Configuration } from '../configuration/schema.js';
import { validateConfiguration } from '../configuration/validate.js';
import { closeDataset, type Dataset, instanceWord } from '../data/dataset.js';
import { chooseSubset } from '../data/splits/subset.js';
import { UserError } from '../errors/userError.js';
import { parsedJson } from '../files/wholeFile.js';
import { suggestConfiguration } from '../inspect/suggestConfiguration.js';
import type { FullRun } from './pilotSize.js';

export interface PilotBase {
  readonly configuration: Configuration;
  /** Someone chose its loss; else it is a suggestion like any other. */
  readonly isConfigured: boolean;
  /** Of the suggestion. */
  readonly remarks: readonly string[];
}

/**
 * A configuration's file or a recipe's name, or any DATASET.
 *
 * @param data in place of the configuration's data
 *
 * @example
 * (await readBase('digits')).isConfigured // false
 */
export async function readBase(
  source: string,
  data: string | undefined,
  set: readonly string[],
): Promise<PilotBase> {
  if (data !== undefined || isConfiguration(source)) {
    const configuration = await readConfiguration(source, { dataset: data, set });
    return { configuration, isConfigured: true, remarks: [] };
  }
  const { configuration, remarks } = await suggestConfiguration(source, set);
  const isConfigured = set.some((assignment) => assignment.startsWith('loss.'));
  return { configuration: validateConfiguration(configuration, source), isConfigured, remarks };
}

/** No configuration is as long as a table of labels in JSON may be. */
const longestConfiguration = 1 << 20;

/** COCO's annotations are JSON too: a configuration names its data or a recipe. */
function isConfiguration(source: string): boolean {
  if (recipeNames.includes(source)) return true;
  const kind = extname(source);
  if (['.jsonc', '.mjs', '.js', '.mts', '.ts'].includes(kind)) return true;
  if (kind !== '.json' || !existsSync(source) || statSync(source).size > longestConfiguration) return false;
  const content = parsedJson(readFileSync(source, 'utf8'));
  // With comments in it, it is no table of any program.
  return (
    content === undefined ||
    (isPlainObject(content) && ('recipe' in content || isPlainObject(content['data'])))
  );
}

/** A full run on the data of a configuration. Refused where no decision can be judged on its validation split. */
export async function fullRun({
  data,
  epochs,
}: Configuration): Promise<FullRun & { readonly dataset: string }> {
  const dataset = await openData(data);
  try {
    refuseUndecidable(dataset);
    const { splits, labels, name } = dataset;
    const rows = data.subset ? chooseSubset(splits.train, labels, defined(data.subset)) : splits.train;
    return { train: rows.length, validation: splits.validation.length, epochs, dataset: name };
  } finally {
    await closeDataset(dataset);
  }
}

/** Of each kind, one to fit a decision on and another to judge it by. */
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
