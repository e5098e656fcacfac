// How the run of a model read its data, to read other data in the same way.

import { existsSync, statSync } from 'node:fs';
import type { Configuration } from '../configuration/schema.js';
import { absoluteDataset, datasetText, parseDataset } from '../data/datasetSpec.js';
import { openRun } from '../runs/runFolder.js';

type DataSettings = Configuration['data'];

/** What is known of how to read a dataset; the rest has its defaults. */
export type ReadingSettings = Partial<DataSettings> & Pick<DataSettings, 'dataset'>;

/**
 * How to read a dataset for a model: as its run did where it is the run's own, which is also the default, and in the same way
 * where it is another. Undefined where a model's file comes without a dataset.
 *
 * @example
 * readingFor('runs/pipes', 'new.csv')?.columns // { labels: 'defects' }
 */
export function readingFor(model: string, dataset?: string): ReadingSettings | undefined {
  const own = runData(model);
  if (!own) return dataset === undefined ? undefined : { dataset };
  // Named again, the run's data keep their splits: redrawn, images of training would be tested.
  const isOwn = dataset === undefined || datasetText(absoluteDataset(parseDataset(dataset))) === own.dataset;
  return isOwn ? own : { ...sharedSettings(own), dataset };
}

function runData(model: string): DataSettings | undefined {
  if (!existsSync(model) || !statSync(model).isDirectory()) return undefined;
  return openRun(model).record.configuration.data;
}

/**
 * Less what belongs to the run's data alone: where they are, which rows of them were trained on, and the choice of classes, which
 * is the model's own.
 */
function sharedSettings(data: DataSettings): Omit<DataSettings, 'dataset'> {
  const { dataset, imageFolder, features, keep, drop, splitFolder, draw, subset, ...shared } = data;
  return shared;
}
