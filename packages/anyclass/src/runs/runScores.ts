import { join } from 'node:path';
import type { Scored } from '@anyclass/core';
import type { SplitName } from '../data/dataset/dataset.js';
import { UserError } from '../errors/userError.js';
import { openRun } from './runFolder.js';
import { joinTables, readTable } from './scoreFiles.js';

/** The scores of a run, with the labels. */
export interface RunScores extends Scored {
  /** The image of each row. */
  readonly names: readonly string[];
}

/**
 * Reads the probabilities and labels of a finished run on its validation or test split. Every metric in its
 * report can be recomputed from them.
 *
 * @example
 * const test = await runScores('runs/sewer', 'test');
 * measure(test).mAP
 */
export async function runScores(run: string, split: Exclude<SplitName, 'train'>): Promise<RunScores> {
  const { paths } = openRun(run);
  const table = (name: string) => join(paths.scores, name);
  const labels = await readTable(table(`${split}-labels.csv`));
  if (labels.values.every(Number.isNaN)) throw new UserError(`${run}: its ${split} split has no labels`);
  return { ...joinTables(await readTable(table(`${split}.csv`)), labels, split), names: labels.names };
}
