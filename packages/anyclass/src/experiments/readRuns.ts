// Finished runs, from what their folders hold. Nothing here needs libtorch.

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
import { joinTables, readTable } from '../runs/scoreFiles.js';
import { readSummary } from '../runs/summary.js';

/** The splits that a run keeps scores of. */
export type JudgedSplit = 'validation' | 'test';

/** Scores beside labels, and the file names of the rows. */
export interface ScoredImages extends Scored {
  readonly names: readonly string[];
}

/** A finished run. */
export interface Run {
  readonly folder: string;
  readonly configuration: Configuration;
  readonly loss: LossName;
  /** Without a meaning for the standard losses. */
  readonly lambda: number;
  readonly network: string;
  /** The name of the data, with the classes that were kept where they were chosen: `coco64 (coco-41)`. */
  readonly dataset: string;
  /** The same for runs on the very same names, labels and splits. */
  readonly datasetFingerprint: string;
  readonly seed: number;
  readonly classes: readonly string[];
  /** Weights of F2-CIW, where the data bring them. */
  readonly classImportance: readonly number[] | undefined;
  readonly epochs: readonly EpochRecord[];
  readonly summary: RunSummary;
  /** Read when first asked for; undefined where the split has no scores or no labels. */
  scores(split: JudgedSplit): Promise<ScoredImages | undefined>;
}

/**
 * The finished run in a folder.
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
  const read = new Map<JudgedSplit, Promise<ScoredImages | undefined>>();
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
      const known = read.get(split) ?? readScores(paths.scores, split);
      read.set(split, known);
      return known;
    },
  };
}

/**
 * All finished runs of folders: a run's own, or a folder of runs, such as that of `compare`. Runs that are not finished are
 * left out of a folder of runs; there must be one that is. Data of which only the names are alike are told apart.
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
 * The runs below folders that `readRuns` leaves out.
 *
 * @example
 * unfinishedRuns(['comparisons/coco']) // ['comparisons/coco/coco-tresnet-m-bce-seed3']
 */
export function unfinishedRuns(folders: readonly string[]): string[] {
  return folders
    .filter((folder) => !existsSync(runPaths(folder).config))
    .flatMap((folder) => runsBelow(folder).filter((path) => !isFinished(path)));
}

/** The folders of runs in a folder, or in `trials` where it is that of a study. */
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

/** Which data a run is about: a name, and what is in brackets behind it. */
interface DataLabel {
  readonly name: string;
  readonly details: readonly string[];
}

/** Where other data have the same label: with all classes, where the data lie, or the fields that made them other data. */
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

/** Fields that decide which images are validated and tested on. */
const splitFields = /^data\.(columns|splitFolder|draw|digits(?!\.scenes\.train$))(\.|$)/;

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

async function readScores(folder: string, split: JudgedSplit): Promise<ScoredImages | undefined> {
  const [scoreFile, labelFile] = [join(folder, `${split}.csv`), join(folder, `${split}-labels.csv`)];
  if (!existsSync(scoreFile) || !existsSync(labelFile)) return undefined;
  const labels = await readTable(labelFile);
  if (labels.values.every(Number.isNaN)) return undefined;
  return { ...joinTables(await readTable(scoreFile), labels, split), names: labels.names };
}
