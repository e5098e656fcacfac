// DATASET as a user writes it: `digits`, `NAME=DIR`, or paths with commas and `*`. All code that interprets
// such a text does so here.

import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { DataError } from '../errors/dataError.js';

/** Known datasets that are read from a folder: `sewerml=DIR`. */
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

/** All known datasets. */
export const knownDatasets = [...folderDatasets, 'digits'] as const;

export type DatasetSpec =
  | { readonly kind: 'digits' }
  | { readonly kind: 'known'; readonly name: FolderDataset; readonly folder: string }
  /** Files and folders as they were written; `*` is expanded when they are read. */
  | { readonly kind: 'paths'; readonly paths: readonly string[] };

/**
 * Parses the text of a DATASET. An existing path is taken literally, whatever commas, equals signs, and stars
 * it contains; `digits` is always the embedded dataset, and `./digits` is a path.
 *
 * @param base the folder that relative paths start from; default: the current folder
 *
 * @example
 * parseDataset('sewerml=data/sewer') // { kind: 'known', name: 'sewerml', folder: 'data/sewer' }
 * parseDataset('train.csv, val.csv') // { kind: 'paths', paths: ['train.csv', 'val.csv'] }
 */
export function parseDataset(text: string, base = '.'): DatasetSpec {
  const trimmed = text.trim();
  if (trimmed === 'digits') return { kind: 'digits' };
  return knownDataset(trimmed, base) ?? { kind: 'paths', paths: splitPaths(trimmed, base) };
}

/**
 * The known dataset that a text names, unless it is an existing path.
 *
 * @example
 * knownDataset('sewerml=data/sewer') // { kind: 'known', name: 'sewerml', folder: 'data/sewer' }
 * knownDataset('photos') // undefined
 */
export function knownDataset(
  text: string,
  base = '.',
): Extract<DatasetSpec, { readonly kind: 'known' }> | undefined {
  return existsSync(resolve(base, text)) ? undefined : knownFolder(text);
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
 * A dataset with absolute paths, so that it is the same from any folder.
 *
 * @example
 * absoluteDataset(parseDataset('sewerml=sewer'), '/data') // { kind: 'known', name: 'sewerml', folder: '/data/sewer' }
 */
export function absoluteDataset(spec: DatasetSpec, base = '.'): DatasetSpec {
  return withDatasetPaths(spec, (path) => resolve(base, path));
}

/** Changes the paths of a dataset. A path that would parse as a known dataset gets the prefix `./`. */
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
 * A short name for folders and tables: the file name without its extension, or the folder name if a `*`
 * stands for several files.
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
 * The folders above the path that names a dataset, outermost first. They distinguish
 * datasets of the same name.
 *
 * @example
 * datasetFolders(parseDataset('/data/siteA/labels.csv')) // ['data', 'siteA']
 */
export function datasetFolders(spec: DatasetSpec): string[] {
  if (spec.kind === 'digits') return [];
  const folder = spec.kind === 'known' ? resolve(spec.folder) : dirname(namingPath(spec.paths));
  return folder.split(/[\\/]/).filter((name) => name !== '');
}

/** Whether a path's file name has a `*`. */
export function isPattern(path: string): boolean {
  return basename(path).includes('*');
}

/** The files that match a pattern, sorted by name. */
export function matchingFiles(pattern: string): string[] {
  const folder = dirname(pattern);
  if (!existsSync(folder) || !statSync(folder).isDirectory()) return [];
  return readdirSync(folder)
    .filter((name) => matchesStars(basename(pattern), name))
    .sort()
    .map((name) => join(folder, name));
}

/** The first path, or its folder if the file name is a pattern or says nothing, like `data.yaml`. */
function namingPath([first = '']: readonly string[]): string {
  const path = resolve(first);
  return isPattern(path) || /^(data|dataset)\.ya?ml$/i.test(basename(path)) ? dirname(path) : path;
}

function knownFolder(text: string): ReturnType<typeof knownDataset> {
  const name = folderDatasets.find((known) => text.startsWith(`${known}=`));
  const folder = name && text.slice(name.length + 1).trim();
  return name && folder ? { kind: 'known', name, folder } : undefined;
}

/** Splits at every comma, except within an existing path: a folder or file name may contain commas. */
function splitPaths(text: string, base: string): string[] {
  const parts = text.split(',');
  const paths: string[] = [];
  for (let start = 0; start < parts.length; ) {
    let end = parts.length;
    const joined = () => parts.slice(start, end).join(',').trim();
    while (end > start + 1 && !isThere(resolve(base, joined()))) end--;
    if (joined() === '') {
      const reason = text === '' ? 'is empty' : `has a comma without a path next to it: '${text}'`;
      throw new DataError(`data.dataset ${reason}; expected paths, NAME=DIR, or digits`);
    }
    paths.push(joined());
    start = end;
  }
  return paths;
}

function isThere(path: string): boolean {
  return existsSync(path) || (isPattern(path) && matchingFiles(path).length > 0);
}

/**
 * Whether a name matches a pattern, in which only `*` is special (not `?`). Each part is searched for once.
 */
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
