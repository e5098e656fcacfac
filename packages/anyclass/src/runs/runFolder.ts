// A run folder:
//   config.json       the complete configuration, versions, the dataset's fingerprint
//   metrics.jsonl     one line per epoch
//   events.jsonl      the events of the run, with a heartbeat each second
//   log.csv           a line per epoch, and tensorboard/ event files, if the configuration asks for them
//   checkpoints/      checkpoints to resume from, and the weights of the best epochs
//   model.safetensors the chosen weights with classes, thresholds and calibration
//   scores/           probabilities and labels by file name
//   known-rows.csv    the rows of training, validation and decision, with hashes of their contents, to recognize copies of them
//   margins.csv       the mean logit of every training label over the epochs, for inspect
//   summary.json      the results
//   report.html
//   examples.json     a few images of the report, small, for the page of a server and for TensorBoard

import { existsSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { isPartial } from '@anyclass/files';
import { z } from 'zod';
import { isPlainObject } from '../configuration/overrides.js';
import { withPaths } from '../configuration/paths.js';
import type { Configuration } from '../configuration/schema.js';
import { validateConfiguration } from '../configuration/validate.js';
import { datasetName, parseDataset } from '../data/datasetSpec.js';
import type { Distribution } from '../distribution/ranks.js';
import { resumeCommand, UserError } from '../errors/userError.js';
import { parsedJson, readWhole, writeWhole } from '../files/wholeFile.js';

export interface RunPaths {
  readonly folder: string;
  readonly config: string;
  readonly metrics: string;
  readonly events: string;
  readonly checkpoints: string;
  readonly model: string;
  readonly scores: string;
  readonly knownRows: string;
  readonly margins: string;
  readonly summary: string;
  readonly report: string;
}

/** What is known about a run when it starts. */
export interface RunRecord {
  readonly configuration: Configuration;
  readonly versions: Readonly<Record<string, string>>;
  readonly classes: readonly string[];
  /** Class weights for F2-CIW, if the dataset has them. */
  readonly classImportance?: readonly number[] | undefined;
  /** Hash of names, labels and splits: a resumed run must find the same data. */
  readonly datasetFingerprint: string;
  readonly started: string;
  /** What groups are, such as 'Patient ID', and how many the data has; absent if its rows have none. */
  readonly groups?: { readonly column: string; readonly count: number } | undefined;
  /** Present if the weights are an average of those of other runs. */
  readonly soup?: { readonly runs: readonly string[]; readonly kept: readonly string[] } | undefined;
  /** Present if several processes started the run together. */
  readonly distribution?: Distribution | undefined;
}

export function runPaths(folder: string): RunPaths {
  const at = (name: string) => join(folder, name);
  return {
    folder,
    config: at('config.json'),
    metrics: at('metrics.jsonl'),
    events: at('events.jsonl'),
    checkpoints: at('checkpoints'),
    model: at('model.safetensors'),
    scores: at('scores'),
    knownRows: at('known-rows.csv'),
    margins: at('margins.csv'),
    summary: at('summary.json'),
    report: at('report.html'),
  };
}

/** Whether a path is a run folder, as opposed to a model file. */
export function isRunFolder(path: string): boolean {
  return existsSync(runPaths(path).config);
}

/**
 * Throws if a folder for a new run already holds anything.
 *
 * @param isTrained whether the new run would be trained, so that resuming the old one may be what the user wants
 */
export function refuseOldRun(folder: string, isTrained = true): void {
  if (existsSync(runPaths(folder).config)) {
    const instead = isTrained ? 'resume it or choose another folder' : 'choose another folder';
    throw new UserError(`${folder} already holds a run; ${instead}`, {
      code: 'run-exists',
      ...(isTrained && { next: resumeCommand(folder) }),
    });
  }
  if (existsSync(folder) && !holdsOnlyRemains(folder)) {
    throw new UserError(`${folder} is not empty; choose another folder for the run`);
  }
}

/** Whether a folder holds nothing but what a process leaves that is killed before its run starts: locks, drafts and empty folders. */
export function holdsOnlyRemains(folder: string): boolean {
  const { checkpoints, scores } = runPaths(folder);
  return readdirSync(folder).every((name) => {
    if (name.startsWith('lock') || isPartial(name)) return true;
    const path = join(folder, name);
    return [checkpoints, scores].includes(path) && readdirSync(path).length === 0;
  });
}

/** Creates the folders of a new run and returns its paths; throws if the folder already holds anything. */
export function createRunFolder(folder: string): RunPaths {
  const paths = runPaths(folder);
  refuseOldRun(folder);
  makeInnerFolders(paths);
  return paths;
}

/** Creates the inner folders of a run. A copy may lack them, because some tools skip empty folders. */
export function makeInnerFolders({ checkpoints, scores }: RunPaths): void {
  mkdirSync(checkpoints, { recursive: true });
  mkdirSync(scores, { recursive: true });
}

export function saveRunRecord(paths: RunPaths, record: RunRecord): void {
  writeWhole(paths.config, `${JSON.stringify(record, null, 2)}\n`);
}

const runRecord = z.object({
  configuration: z.record(z.string(), z.unknown()),
  versions: z.record(z.string(), z.string()),
  classes: z.array(z.string()),
  classImportance: z.array(z.number()).optional(),
  datasetFingerprint: z.string(),
  started: z.string(),
  groups: z.object({ column: z.string(), count: z.int() }).optional(),
  soup: z.object({ runs: z.array(z.string()), kept: z.array(z.string()) }).optional(),
  distribution: z.object({ worldSize: z.int().positive(), backend: z.enum(['gloo', 'nccl']) }).optional(),
});

/**
 * Returns the paths and the record of an existing run. Fields added after the run have their defaults.
 *
 * @throws UserError if a version before decisions and reductions wrote it
 */
export function openRun(folder: string): { readonly paths: RunPaths; readonly record: RunRecord } {
  const paths = runPaths(folder);
  refuseOtherFolder(folder);
  const record = readWhole(paths.config, runRecord, `delete the folder ${folder} and train again`);
  const { loss } = record.configuration;
  // Its loss was reduced in another way than the default says today.
  if (isPlainObject(loss) && !('reduction' in loss))
    throw new UserError(`${folder}: written by an earlier version, whose runs do not open here; train again`);
  return {
    paths,
    record: { ...record, configuration: validateConfiguration(record.configuration, paths.config) },
  };
}

/** Throws if a folder is not a run. Exported models, and those of other programs, have a config.json as well. */
export function refuseOtherFolder(folder: string): void {
  const { config } = runPaths(folder);
  if (!existsSync(config)) throw new UserError(`${folder}: not a run (no config.json)`);
  const record = statSync(config).isFile() ? parsedJson(readFileSync(config, 'utf8')) : undefined;
  if (isPlainObject(record) && Object.keys(record).length > 0 && !('configuration' in record))
    throw new UserError(
      `${folder}: not a run (its config.json describes something else); name the folder of a run, or the file of a model`,
    );
}

/**
 * Returns the default folder of a run.
 *
 * @example
 * defaultRunFolder(configuration, new Date('2026-01-31T12:05:09Z')) // 'runs/digits-tresnet-s-any-bce-20260131-120509'
 */
export function defaultRunFolder({ data, network, loss }: Configuration, now = new Date()): string {
  const dataset = datasetName(parseDataset(data.dataset)).replaceAll(/[^a-zA-Z0-9._-]+/g, '_');
  const time = now.toISOString().slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-');
  return join('runs', `${dataset}-${network.name}-${loss.name}-${time}`);
}

/**
 * Returns a configuration with absolute paths, so that its run can be resumed from another folder.
 *
 * @example
 * absolutePaths(configuration).data.dataset // 'sewerml=/home/ada/data/sewer' for 'sewerml=data/sewer'
 */
export function absolutePaths(configuration: Configuration): Configuration {
  return validateConfiguration(withPaths(configuration, (path) => resolve(path)));
}
