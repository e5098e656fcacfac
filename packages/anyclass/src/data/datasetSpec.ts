// DATASET as a user writes it: `digits`, `NAME=DIR`, or paths with commas and `*`. Everything that needs to know what such a
// text means asks here.

import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { DataError } from '../errors/dataError.js';

/** Datasets that are read from a folder of their own: `sewerml=DIR`. */
export const folderDatasets = [
  'sewerml',
  'chestxray14',
  'nih-official',
  'chexpert',
  'coco-41',
  'coco-animals',
  'voc2007',
  'voc2012',
] as const;
export type FolderDataset = (typeof folderDatasets)[number];

/** Datasets with a name. */
export const knownDatasets = [...folderDatasets, 'digits'] as const;

export type DatasetSpec =
  | { readonly kind: 'digits' }
  | { readonly kind: 'known'; readonly name: FolderDataset; readonly folder: string }
  /** Files and folders as they were written; `*` is expanded when they are read. */
  | { readonly kind: 'paths'; readonly paths: readonly string[] };

/**
 * What the text of a DATASET means. A path that exists is taken as it is, whatever commas, equals signs and stars its name
 * holds; `digits` is always the embedded dataset, and `./digits` a path.
 *
 * @param base what relative paths are relative to; default the current folder
 *
 * @example
 * parseDataset('sewerml=data/sewer') // { kind: 'known', name: 'sewerml', folder: 'data/sewer' }
 * parseDataset('train.csv, val.csv') // { kind: 'paths', paths: ['train.csv', 'val.csv'] }
 */
export function parseDataset(text: string, base = '.'): DatasetSpec {
  const trimmed = text.trim();
  if (trimmed === 'digits') return { kind: 'digits' };
  const known = existsSync(resolve(base, trimmed)) ? undefined : knownFolder(trimmed);
  return known ?? { kind: 'paths', paths: splitPaths(trimmed, base) };
}

/**
 * The text of a dataset, which `parseDataset` reads back.
 *
 * @example
 * datasetText({ kind: 'paths', paths: ['train.csv', 'val.csv'] }) // 'train.csv,val.csv'
 */
export function datasetText(spec: DatasetSpec): string {
  if (spec.kind === 'digits') return 'digits';
  return spec.kind === 'known' ? `${spec.name}=${spec.folder}` : spec.paths.join(',');
}

/**
 * A dataset with absolute paths, so that it is the same one from any folder.
 *
 * @example
 * absoluteDataset(parseDataset('sewerml=sewer'), '/data') // { kind: 'known', name: 'sewerml', folder: '/data/sewer' }
 */
export function absoluteDataset(spec: DatasetSpec, base = '.'): DatasetSpec {
  return withDatasetPaths(spec, (path) => resolve(base, path));
}

/** A dataset with other paths. One that would read as a dataset's name gets `./` before it. */
export function withDatasetPaths(spec: DatasetSpec, change: (path: string) => string): DatasetSpec {
  if (spec.kind === 'digits') return spec;
  if (spec.kind === 'known') return { ...spec, folder: change(spec.folder) };
  const isName = (path: string) => path === 'digits' || knownFolder(path) !== undefined;
  return {
    kind: 'paths',
    paths: spec.paths.map(change).map((path) => (isName(path) ? `./${path}` : path)),
  };
}

/**
 * A short name for folders and tables: the file's without its extension, or its folder's where `*` stands for several.
 *
 * @example
 * datasetName(parseDataset('data/coco64/part-*.parquet')) // 'coco64'
 */
export function datasetName(spec: DatasetSpec): string {
  if (spec.kind === 'digits') return 'digits';
  if (spec.kind === 'known') return spec.name;
  const path = namingPath(spec.paths);
  return basename(path).replace(/\.(csv|json|parquet|tsv|txt|arff|ya?ml)(\.gz)?$/, '') || 'data';
}

/**
 * The folders above what names a dataset, outermost first: they tell datasets of one name apart.
 *
 * @example
 * datasetFolders(parseDataset('/data/siteA/labels.csv')) // ['data', 'siteA']
 */
export function datasetFolders(spec: DatasetSpec): string[] {
  if (spec.kind === 'digits') return [];
  const folder = spec.kind === 'known' ? resolve(spec.folder) : dirname(namingPath(spec.paths));
  return folder.split(/[\\/]/).filter((name) => name !== '');
}

/** Whether a path has a `*` in the name of its file. */
export function isPattern(path: string): boolean {
  return basename(path).includes('*');
}

/** The files that match a pattern, by name. */
export function matchingFiles(pattern: string): string[] {
  const folder = dirname(pattern);
  if (!existsSync(folder) || !statSync(folder).isDirectory()) return [];
  return readdirSync(folder)
    .filter((name) => matchesStars(basename(pattern), name))
    .sort()
    .map((name) => join(folder, name));
}

/** The first path, or its folder where the file's name is a pattern or says nothing, as `data.yaml`. */
function namingPath([first = '']: readonly string[]): string {
  const path = resolve(first);
  return isPattern(path) || /^(data|dataset)\.ya?ml$/i.test(basename(path)) ? dirname(path) : path;
}

function knownFolder(text: string): DatasetSpec | undefined {
  const name = folderDatasets.find((known) => text.startsWith(`${known}=`));
  const folder = name && text.slice(name.length + 1).trim();
  return name && folder ? { kind: 'known', name, folder } : undefined;
}

/** At every comma, except where parts with their commas are a path that exists: the folder above may have one in its name. */
function splitPaths(text: string, base: string): string[] {
  const parts = text.split(',');
  const paths: string[] = [];
  for (let start = 0; start < parts.length; ) {
    let end = parts.length;
    const joined = () => parts.slice(start, end).join(',').trim();
    while (end > start + 1 && !isThere(resolve(base, joined()))) end--;
    if (joined() === '') {
      const reason = text === '' ? 'is empty' : `has a comma without a path beside it: '${text}'`;
      throw new DataError(`data.dataset ${reason}; expected paths, NAME=DIR or digits`);
    }
    paths.push(joined());
    start = end;
  }
  return paths;
}

function isThere(path: string): boolean {
  return existsSync(path) || (isPattern(path) && matchingFiles(path).length > 0);
}

/** Whether a name is a pattern with any text for each `*`; all else stands for itself, also `?`. Each part is looked for once. */
function matchesStars(pattern: string, name: string): boolean {
  const [first = '', ...others] = pattern.split('*');
  const last = others.pop();
  if (last === undefined) return name === first;
  if (!name.startsWith(first) || !name.endsWith(last)) return false;
  let at = first.length;
  for (const part of others) {
    const found = name.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return at <= name.length - last.length;
}
