import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { presenceScores } from '@anyclass/core';
import type { SplitName } from '../data/dataset/dataset.js';
import { UserError } from '../errors/userError.js';
import { type CalibratedScores, calibratedScores } from './calibratedScores.js';
import { isRunFolder, openRun, type RunPaths, type RunRecord } from './runFolder.js';
import { savedCalibration } from './savedCalibration.js';
import { groupColumnOf, hasColumn, joinTables, readTable } from './scoreFiles.js';

/** The scores of a run, with the labels. */
export interface RunScores extends CalibratedScores {
  /** The image of each row. */
  readonly names: readonly string[];
}

/**
 * Reads the probabilities and labels of a finished run on its validation or test split, calibrated as its
 * model calibrates them. Every metric in its report can be recomputed from them.
 *
 * @example
 * const test = await runScores('runs/sewer', 'test');
 * measure(test).mAP
 */
export async function runScores(run: string, split: Exclude<SplitName, 'train'>): Promise<RunScores> {
  const { paths, record } = openRun(run);
  const scored = await savedScores(paths, record, split);
  if (scored) return scored;
  const [file] = filesOf(paths, split).filter((path) => !existsSync(path));
  throw new UserError(file ? `${file}: no such file` : `${run}: its ${split} split has no labels`);
}

/** The same; undefined if the split has no scores or no labels. */
export async function savedScores(
  paths: RunPaths,
  { classes }: Pick<RunRecord, 'classes'>,
  split: Exclude<SplitName, 'train'>,
): Promise<RunScores | undefined> {
  const [scoreFile, labelFile] = filesOf(paths, split);
  if (!existsSync(scoreFile) || !existsSync(labelFile)) return undefined;
  const column = groupColumnOf(classes);
  const labels = await readTable(labelFile, hasColumn(labelFile, column) ? { groupColumn: column } : {});
  if (labels.values.every(Number.isNaN)) return undefined;
  const joined = joinTables(await readTable(scoreFile), labels, split);
  // The numbers are a network's, so they are float32; calibrated as such, they are the same as after training.
  const raw = { ...joined, scores: Float32Array.from(joined.scores), names: labels.names };
  const calibration = savedCalibration(paths.scores);
  return calibration ? calibratedScores(raw, calibration) : { ...joined, names: labels.names };
}

/** The split that a run's decision is fitted on: the rows held back for it, or validation. */
export function fittingSplit({ scores }: Pick<RunPaths, 'scores'>): 'decision' | 'validation' {
  return existsSync(join(scores, 'decision.csv')) ? 'decision' : 'validation';
}

/** The scores that a run's decision was fitted on; undefined for a model file, and where they are gone. */
export async function fittingScores(model: string): Promise<RunScores | undefined> {
  if (!isRunFolder(model)) return undefined;
  const { paths, record } = openRun(model);
  return savedScores(paths, record, fittingSplit(paths));
}

/**
 * Whether a run's data has groups that its saved scores lack, because an earlier version saved them: then
 * nothing can be promised about new data.
 */
export function lacksGroups({ configuration, groups }: RunRecord, scored: RunScores): boolean {
  return (
    scored.groups === undefined && (groups !== undefined || configuration.data.columns?.group !== undefined)
  );
}

/** Returns the presence scores of a run's validation split, as its decision ranks them. */
export async function validationPresence(run: string): Promise<Float64Array> {
  const { presence, scores, classNames } = await runScores(run, 'validation');
  return presence ?? presenceScores(scores, classNames.length);
}

function filesOf({ scores }: RunPaths, split: string): [scores: string, labels: string] {
  return [join(scores, `${split}.csv`), join(scores, `${split}-labels.csv`)];
}
