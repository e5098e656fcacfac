// How the run of a model read its data, to read other data in the same way.

import { existsSync, statSync } from 'node:fs';
import type { Configuration } from '../configuration/schema.js';
import { openRun } from '../runs/runFolder.js';

type DataSettings = Configuration['data'];

/** The settings of a run that hold for other data too. */
export type SharedSettings = Omit<
  DataSettings,
  'dataset' | 'imageFolder' | 'keep' | 'drop' | 'splitFolder' | 'draw' | 'subset'
>;

/**
 * The data of the run in a folder; undefined for the file of a model.
 *
 * @example
 * runData('runs/sewer')?.dataset // 'sewerml=/data/sewer'
 */
export function runData(model: string): DataSettings | undefined {
  if (!existsSync(model) || !statSync(model).isDirectory()) return undefined;
  return openRun(model).record.configuration.data;
}

/**
 * What a run says about its data, less what belongs to those alone: where they are, which rows of them were trained on, and the
 * choice of classes, which is the model's own.
 *
 * @example
 * sharedSettings(runData('runs/pipes')).columns // { labels: 'defects' }
 */
export function sharedSettings(data: DataSettings): SharedSettings {
  const { dataset, imageFolder, keep, drop, splitFolder, draw, subset, ...shared } = data;
  return shared;
}
