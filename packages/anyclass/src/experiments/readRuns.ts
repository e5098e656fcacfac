// Reads finished runs from their folders. Nothing here needs libtorch.

import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Scored } from '@anyclass/core';
import { differingFields, resultFields } from '../configuration/dottedFields.js';
import type { Configuration } from '../configuration/schema.js';
import { resumeCommand, UserError } from '../errors/userError.js';
import type { EpochRecord } from '../events/epochRecord.js';
import type { RunSummary } from '../events/runSummary.js';
import type { LossName } from '../losses/lossNames.js';
import { readEpochs } from '../runs/metricsLog.js';
import { modelImportance } from '../runs/modelImportance.js';
import { openRun, runPaths } from '../runs/runFolder.js';
import { savedScores } from '../runs/runScores.js';
import { readSummary } from '../runs/summary.js';

/** The splits for which a run keeps scores. */
export type JudgedSplit = 'validation' | 'test';

/** Scores with labels, and the file name of each row. */
export interface ScoredImages extends Scored {
  readonly names: readonly string[];
}

/** A finished run. */
export interface Run {
  readonly folder: string;
  readonly configuration: Configuration;
  readonly loss: LossName;
  /** Has no meaning for the standard losses. */
  readonly lambda: number;
  readonly network: string;
  /** The dataset's name, with the selected classes if any: `coco64 (coco-41)`. */
  readonly dataset: string;
  /** Identical for runs on exactly the same names, labels and splits. */
  readonly datasetFingerprint: string;
  readonly seed: number;
  readonly classes: readonly string[];
  /** Weights for F2-CIW, if the dataset has them. */
  readonly classImportance: readonly number[] | undefined;
  readonly epochs: readonly EpochRecord[];
  readonly summary: RunSummary;
  /** Reads the scores on first use; undefined if the split has no scores or no labels. */
  scores(split: JudgedSplit | 'decision'): Promise<ScoredImages | undefined>;
}

/**
 * Reads the finished run in a folder.
 *
 * @example
 * const run = readRun('runs/sewer');
 * (await run.scores('test'))?.names.length // 110000
 */
export function readRun(folder: string): Run {
  const { paths, record } = openRun(folder);
  if (!existsSync(paths.summary)) {
    throw new UserError(`${folder}: the run is not finished; resume it first`, {
      next: resumeCommand(folder),
    });
  }
  const { configuration } = record;
  const summary = readSummary(paths);
  const read = new Map<JudgedSplit | 'decision', Promise<ScoredImages | undefined>>();
  return {
    folder,
    configuration,
    loss: configuration.loss.name,
    lambda: configuration.loss.lambda,
    network: configuration.network.name,
    dataset: labelText(dataLabel(summary.dataset, configuration.data)),
    datasetFingerprint: record.datasetFingerprint,
    seed: configuration.seed,
    classes: summary.classes,
    classImportance: record.classImportance ?? modelImportance(paths.model),
    epochs: readEpochs(paths.metrics),
    summary,
    scores(split) {
      const known = read.get(split) ?? savedScores(paths, record, split);
      read.set(split, known);
      return known;
    },
  };
}

/**
 * Reads all finished runs in the given folders. Each is a run folder, or a folder of runs such as `compare`
 * writes. In a folder of runs, unfinished ones are left out, and at least one must be finished. Different
 * datasets with the same name get distinct labels.
 *
 * @example
 * readRuns(['comparisons/coco']).map(({ loss, seed }) => `${loss} ${seed}`) // ['bce 1', 'any-bce 1', …]
 */
export function readRuns(folders: readonly string[]): Run[] {
  const runs = folders.flatMap((folder) => {
    if (!existsSync(folder)) throw new UserError(`${folder}: no such folder`);
    if (existsSync(runPaths(folder).config)) return [readRun(folder)];
    const finished = runsBelow(folder).filter(isFinished);
    if (finished.length === 0) {
      throw new UserError(`${folder}: not a run (no config.json), and it contains no finished run`);
    }
    return finished.map(readRun);
  });
  const labels = distinctLabels(runs);
  return runs.map((run, i) => ({ ...run, dataset: labelText(labels[i]!) }));
}

/**
 * Lists the unfinished runs that `readRuns` leaves out.
 *
 * @example
 * unfinishedRuns(['comparisons/coco']) // ['comparisons/coco/coco-tresnet-m-bce-seed3']
 */
export function unfinishedRuns(folders: readonly string[]): string[] {
  return folders
    .filter((folder) => !existsSync(runPaths(folder).config))
    .flatMap((folder) => runsBelow(folder).filter((path) => !isFinished(path)));
}

/** The run folders in a folder, or in its `trials` if it is a study. */
function runsBelow(folder: string): string[] {
  const trials = join(folder, 'trials');
  const holder = existsSync(trials) ? trials : folder;
  return readdirSync(holder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => join(holder, name))
    .filter((path) => existsSync(runPaths(path).config))
    .sort();
}

function isFinished(folder: string): boolean {
  return existsSync(runPaths(folder).summary);
}

/** Identifies a run's data: a name, and the details shown in parentheses after it. */
interface DataLabel {
  readonly name: string;
  readonly details: readonly string[];
}

/** If different data would share a label, adds all classes, then the path, then the fields that differ. */
function distinctLabels(runs: readonly Run[]): DataLabel[] {
  const steps = [withClasses, withPlace, withFields];
  return steps.reduce(
    (labels, step) => {
      const texts = labels.map(labelText);
      return runs.map((run, i) => {
        const others = runs.filter(
          (other, k) => texts[k] === texts[i] && other.datasetFingerprint !== run.datasetFingerprint,
        );
        return step(labels[i]!, run, others);
      });
    },
    runs.map(({ summary, configuration }) => dataLabel(summary.dataset, configuration.data)),
  );
}

function withClasses(label: DataLabel, { classes }: Run, others: readonly Run[]): DataLabel {
  const list = classes.join(', ');
  return others.some((other) => other.classes.join(', ') !== list) ? { ...label, details: [list] } : label;
}

function withPlace(label: DataLabel, { configuration }: Run, others: readonly Run[]): DataLabel {
  const place = configuration.data.dataset;
  const isElsewhere = others.some((other) => other.configuration.data.dataset !== place);
  return isElsewhere ? { ...label, name: place } : label;
}

/** Fields that decide which images are in the validation and test splits. */
const splitFields = /^data\.(columns|groups|corrections|splitFolder|draw|digits(?!\.scenes\.train$))(\.|$)/;

function withFields(label: DataLabel, run: Run, others: readonly Run[]): DataLabel {
  const own = resultFields(run.configuration);
  const differing = others.flatMap(({ configuration }) => differingFields(own, resultFields(configuration)));
  const fields = [...new Set(differing.map(({ field }) => field))].filter((field) => splitFields.test(field));
  const told = fields.map((field) => `${field.slice('data.'.length)}=${own.get(field) ?? 'unset'}`);
  return { ...label, details: [...label.details, ...told] };
}

function dataLabel(name: string, { keep, drop }: Configuration['data']): DataLabel {
  const list = (classes: readonly string[]) =>
    classes.length > 3 ? `${classes.length} classes` : classes.join(', ');
  return {
    name,
    details: [...(keep ? [list(keep)] : []), ...(drop?.length ? [`without ${list(drop)}`] : [])],
  };
}

function labelText({ name, details }: DataLabel): string {
  return details.length === 0 ? name : `${name} (${details.join('; ')})`;
}
