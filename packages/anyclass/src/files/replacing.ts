// What an output may replace. A command never overwrites what it reads, nor a file of a run. An existing
// file at the output path is replaced if it is an older output of the same kind; any other file is
// replaced only on request.

import {
  closeSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  realpathSync,
  type Stats,
  statSync,
} from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { UserError } from '../errors/userError.js';

export type OutputKind =
  | 'an HTML page'
  | 'a table of scores'
  | 'a table of predictions'
  | 'predictions as JSON lines'
  | 'a configuration'
  | 'a file of features'
  | 'metrics for Prometheus'
  | 'an ONNX model'
  | 'a model file'
  | 'a table of labels'
  | 'tasks'
  | 'a queue of images';

/** Recognizes an older output of each kind by how the file starts. */
const beginnings: Readonly<Record<OutputKind, (text: string) => boolean>> = {
  'an HTML page': (text) => /^\s*<!doctype html/i.test(text),
  'a table of scores': (text) => text.startsWith('Filename,'),
  'a table of predictions': (text) => /^Filename,[^\n]*\blabels\r?\n/.test(text),
  'predictions as JSON lines': (text) => text.startsWith('{"Filename":'),
  // CSV, Parquet, NumPy, or one safetensors matrix.
  'a file of features': (text) => /^(Filename,|PAR1|.NUMPY|.{8}\{"features":)/s.test(text),
  'a configuration': (text) => /^\s*(\/\/[^\n]*\n\s*)*\{/.test(text),
  'metrics for Prometheus': (text) => text.startsWith('# HELP anyclass_'),
  'an ONNX model': isOnnx,
  'a table of labels': (text) => /^(id|[^\n]*,id)[,\r\n]/.test(text),
  'a queue of images': (text) => /^\{\s*"queue"/.test(text),
  tasks: (text) => /^\[\s*(\{\s*"data"|\])/.test(text),
  'a model file': (text) => isOnnx(text) || text.slice(0, 40).includes('{"__metadata__":'),
};

/** The format version, field 1 of the protocol buffer, comes first. */
function isOnnx(text: string): boolean {
  return text.charCodeAt(0) === 8 && text.charCodeAt(1) < 64;
}

export interface ReplacingRules {
  /** What the output is. */
  readonly kind: OutputKind;
  /** Files and folders that the command reads; strings that are not paths are ignored. */
  readonly inputs?: readonly (string | undefined)[];
  /** Replace a file of another kind. */
  readonly force?: boolean;
}

/**
 * Throws if writing to a path would destroy something: an input, by name or through another link to the same
 * file; a file of a run; or, without `force`, a file of a different kind than the output.
 *
 * @example
 * refuseReplacing('photos/a.jpg', { kind: 'an HTML page', inputs: ['photos'] })
 * // UserError: it is a file of the input folder photos; choose another path
 */
export function refuseReplacing(path: string, { kind, inputs = [], force = false }: ReplacingRules): void {
  refuseRunFile(path);
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found?.isFile()) return;
  const isOfKind = found.size === 0 || beginnings[kind](beginningOf(path));
  for (const input of inputs) {
    if (input === undefined) continue;
    const same = [input, ...filesOfRun(input)].find((file) => isSameFile(found, file));
    if (same !== undefined) throw new UserError(`it is an input (${same}); choose another path`);
    if (!isOfKind && isBelow(path, input))
      throw new UserError(`it is a file of the input folder ${input}; choose another path`);
  }
  if (isOfKind || force) return;
  throw new UserError(
    `a file already exists there and is not ${kind}; choose another path, or replace it with force`,
    { setting: 'force' },
  );
}

/**
 * Throws if `input` is the file at `output`, possibly through another link. For inputs that become
 * known only during the work.
 *
 * @example
 * for (const image of images) refuseSameFile('--out', out, image.path);
 */
export function refuseSameFile(option: string, output: string, input: string): void {
  const found = statSync(output, { throwIfNoEntry: false });
  if (found?.isFile() && isSameFile(found, input))
    throw new UserError(
      `${option} ${output} cannot be written: it is an input (${input}); choose another path`,
    );
}

/** The files in a run folder that belong to the run, whether or not they exist yet. */
const runFiles = new Set([
  'config.json',
  'metrics.jsonl',
  'events.jsonl',
  'model.safetensors',
  'summary.json',
  'report.html',
  'lock',
]);
const runFolders = new Set(['checkpoints', 'scores']);

/** Throws if a path is a file of a run, or would become one. */
function refuseRunFile(path: string): void {
  const place = realPath(resolve(path));
  const parent = dirname(place);
  const run = runFiles.has(basename(place))
    ? parent
    : runFolders.has(basename(parent))
      ? dirname(parent)
      : undefined;
  if (run !== undefined && isRun(run))
    throw new UserError(`it is a file of the run ${relative('.', run) || run}; choose another path`);
}

/** A run's record names the data it was trained on; other programs write a config.json too. */
function isRun(folder: string): boolean {
  try {
    return readFileSync(resolve(folder, 'config.json'), 'utf8').includes('"datasetFingerprint"');
  } catch {
    return false;
  }
}

/** The files in a run folder, which may have hard links elsewhere; none if the folder is not a run. */
function filesOfRun(folder: string): string[] {
  if (!isRun(folder)) return [];
  const scores = join(folder, 'scores');
  const tables = statIfThere(scores)?.isDirectory() ? readdirSync(scores) : [];
  return [...[...runFiles].map((name) => join(folder, name)), ...tables.map((name) => join(scores, name))];
}

function isSameFile(found: Stats, input: string): boolean {
  const other = statIfThere(input);
  return other?.isFile() === true && other.dev === found.dev && other.ino === found.ino;
}

function isBelow(path: string, folder: string): boolean {
  if (!statIfThere(folder)?.isDirectory()) return false;
  const way = relative(realPath(resolve(folder)), realPath(resolve(path)));
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`);
}

/** The file's stats; undefined if it does not exist, or if the string cannot be a path. */
function statIfThere(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}

/** The path with links resolved as far as it exists. */
function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : resolve(realPath(parent), basename(path));
  }
}

/** The first MiB of a file, enough for the header of a table with many classes. */
function beginningOf(path: string): string {
  const buffer = Buffer.alloc(2 ** 20);
  const descriptor = openSync(path, 'r');
  try {
    return buffer
      .subarray(0, readSync(descriptor, buffer))
      .toString('utf8')
      .replace(/^\uFEFF/, '');
  } finally {
    closeSync(descriptor);
  }
}
