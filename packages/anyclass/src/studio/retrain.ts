// Trains again with corrected labels: a new run that starts from the old weights, in a process of its own.

import { existsSync, mkdirSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { errorCode } from '@anyclass/files';
import { startChildRun } from '../children/childRun.js';
import { preparedOptions } from '../configuration/openOptions.js';
import type { Configuration } from '../configuration/schema.js';
import { validateConfiguration } from '../configuration/validate.js';
import { closeDataset } from '../data/dataset/dataset.js';
import { openPrepared } from '../data/openPrepared.js';
import { saveSplits } from '../data/splits/splitFiles.js';
import { UserError } from '../errors/userError.js';
import { openRun, runPaths } from '../runs/runFolder.js';
import type { FoundRun } from './findRuns.js';

export interface Retraining {
  /** The folder of the new run. */
  readonly folder: string;
  /** Resolves to a reason if it failed before it began. */
  readonly done: Promise<string | undefined>;
  stop(): void;
}

/**
 * Starts a run like another one, from its weights, with a file of corrections.
 *
 * @throws UserError if the run has no model yet
 *
 * @example
 * (await retrain(run, 'corrections/pipes-1a2b3c.csv')).folder // 'runs/sewer-mended'
 */
export async function retrain({ id, path }: FoundRun, corrections: string): Promise<Retraining> {
  const { record, paths } = openRun(path);
  if (!existsSync(paths.model)) throw new UserError(`${id} has no model yet; wait until it is finished`);
  const { data, network, ...rest } = record.configuration;
  const splitFolder = await keptSplits(data, `${corrections.replace(/\.csv$/, '')}-splits`);
  const { draw, ...kept } = data;
  const configuration = validateConfiguration({
    ...rest,
    data: { ...kept, ...(splitFolder === undefined ? { draw } : { splitFolder }), corrections },
    network: { ...network, weights: path },
  });
  const folder = newFolder(path);
  const child = startChildRun({
    folder,
    configuration,
    isBegun: false,
    log: `${corrections}.log`,
    env: {},
    onEvent: () => {},
  });
  const done = child.done.then((outcome) => {
    removeIfEmpty(folder);
    return 'reason' in outcome ? outcome.reason : undefined;
  });
  return { folder, done, stop: child.stop };
}

/**
 * Saves the splits of data whose splits are drawn: other labels would draw others, and images that the old weights have learned would be
 * validated on. Undefined if the data has its own.
 */
async function keptSplits(data: Configuration['data'], folder: string): Promise<string | undefined> {
  if (data.splitFolder !== undefined) return undefined;
  const dataset = await openPrepared(data.dataset, preparedOptions(data));
  try {
    if (dataset.hasOwnSplits) return undefined;
    await saveSplits(dataset.splits, dataset.names, folder);
    return folder;
  } finally {
    await closeDataset(dataset);
  }
}

/** Makes a folder for the new run: two windows may ask at once, and each gets its own. */
export function newFolder(path: string): string {
  const base = `${path.replace(/-mended(-\d+)?$/, '')}-mended`;
  for (let number = 1; ; number++) {
    const folder = number === 1 ? base : `${base}-${number}`;
    try {
      mkdirSync(folder);
      return folder;
    } catch (error) {
      if (errorCode(error) !== 'EEXIST') throw error;
    }
  }
}

/** Removes the folder of a run that did not begin. */
function removeIfEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // The run wrote something, or was deleted.
  }
}

/** The file of a run's scores on validation, which is there when it is finished. */
export function isJudged(path: string): boolean {
  return existsSync(join(runPaths(path).scores, 'validation.csv')) && existsSync(runPaths(path).summary);
}
