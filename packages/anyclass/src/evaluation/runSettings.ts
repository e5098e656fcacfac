// How a model's run read its data, to read other data in the same way.

import { existsSync, statSync } from 'node:fs';
import type { Configuration } from '../configuration/schema.js';
import { absoluteDataset, datasetName, datasetText, parseDataset } from '../data/datasetSpec.js';
import type { ModelDescription } from '../runs/modelFile.js';
import { openRun } from '../runs/runFolder.js';

type DataSettings = Configuration['data'];

/** Known settings for reading a dataset; the rest have their defaults. */
export type ReadingSettings = Partial<DataSettings> & Pick<DataSettings, 'dataset'>;

/**
 * Returns how to read a dataset for a model. The run's own dataset, which is the default, is read exactly as
 * the run read it; another dataset is read in the same way. Undefined for a model file without a dataset.
 *
 * @example
 * readingFor('runs/pipes', 'new.csv')?.columns // { labels: 'defects' }
 */
export function readingFor(model: string, dataset?: string): ReadingSettings | undefined {
  const own = runData(model);
  if (!own) return dataset === undefined ? undefined : { dataset };
  // If the run's own data is named again, it keeps its splits; redrawn splits would test on training images.
  return dataset === undefined || isNamed(dataset, own.dataset) ? own : { ...sharedSettings(own), dataset };
}

/**
 * Whether a dataset is the one that a model was trained on, so that most of its rows are known to the model. An exported file
 * keeps only the name of its dataset, which another dataset may share.
 *
 * @example
 * isOwnData('runs/pipes', 'other-site.csv', description) // false
 */
export function isOwnData(
  model: string,
  dataset: string,
  description: Pick<ModelDescription, 'dataset'>,
): boolean {
  const own = runData(model)?.dataset ?? description.dataset;
  return isNamed(dataset, own) || datasetName(parseDataset(dataset)) === own;
}

/**
 * Whether a dataset is taken for a model's own because of its name alone.
 *
 * @example
 * isOwnByName('pipes.onnx', 'other-site/pipes.csv', description) // true
 */
export function isOwnByName(
  model: string,
  dataset: string,
  description: Pick<ModelDescription, 'dataset'>,
): boolean {
  return (
    isOwnData(model, dataset, description) &&
    runData(model) === undefined &&
    !isNamed(dataset, description.dataset)
  );
}

function isNamed(dataset: string, own: string): boolean {
  return datasetText(absoluteDataset(parseDataset(dataset))) === own;
}

function runData(model: string): DataSettings | undefined {
  if (!existsSync(model) || !statSync(model).isDirectory()) return undefined;
  return openRun(model).record.configuration.data;
}

/**
 * Omits what applies only to the run's own data: where it is, which rows were trained on, and the choice of
 * classes, which comes from the model.
 */
function sharedSettings(data: DataSettings): Omit<DataSettings, 'dataset'> {
  const { dataset, imageFolder, features, corrections, keep, drop, splitFolder, draw, subset, ...shared } =
    data;
  return shared;
}
