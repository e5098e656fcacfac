// Finds the files of a DATASET: tables of one kind, or a folder in a layout that other programs write.

import { existsSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import { DataError } from '../errors/dataError.js';
import { nearestOrAll } from '../errors/nearest.js';
import { unusualKind } from '../files/fileKind.js';
import { checkInputFile } from '../files/inputs.js';
import { shownPath } from '../files/shownPath.js';
import { isPattern, knownDatasets, matchingFiles } from './datasetSpec.js';
import { isMatrixFile } from './features/matrixFile.js';
import { holdsVocAnnotations } from './readers/folders/voc.js';
import { folderContents } from './readers/folders/walkFolder.js';
import { yoloFileIn } from './readers/folders/yolo.js';

/** `matrix`: features in `.npy` or `.safetensors`, with labels in a CSV file of the same name. */
type TableKind = 'csv' | 'json' | 'parquet' | 'arff' | 'matrix';
export type FolderLayout = 'yolo' | 'voc' | 'class-folders';

export type DatasetFiles =
  | { readonly kind: TableKind; readonly paths: readonly string[] }
  | { readonly kind: FolderLayout; readonly path: string };

/**
 * Finds the files at the paths of a DATASET, and their kind.
 *
 * @example
 * await datasetFiles(['data/pipes']) // { kind: 'yolo', path: 'data/pipes/data.yaml' }
 */
export async function datasetFiles(paths: readonly string[]): Promise<DatasetFiles> {
  const [only = ''] = paths;
  if (paths.length === 1 && existsSync(only)) {
    if (/\.ya?ml$/i.test(only)) return { kind: 'yolo', path: only };
    if (statSync(only).isDirectory()) return folderFiles(only);
  }
  const files = (await Promise.all(paths.map((path) => filesAt(path, paths)))).flat();
  const kinds = new Set(files.map((path) => kindOf(path)));
  const [kind] = kinds;
  if (kind === undefined || kinds.size > 1) {
    throw new DataError(
      `${paths.map(shownPath).join(',')}: files of several kinds (${[...kinds].join(', ')}); use only one kind`,
    );
  }
  return { kind, paths: files };
}

/**
 * Checks the clearest signs of a layout first: `data.yaml`, `Annotations`, tables, a class
 * list, XML next to images.
 */
async function folderFiles(folder: string): Promise<DatasetFiles> {
  const yolo = await yoloFileIn(folder);
  if (yolo !== undefined && /\.ya?ml$/i.test(yolo) && (await listsNames(yolo))) {
    return { kind: 'yolo', path: yolo };
  }
  const isVoc = await holdsVocAnnotations(folder);
  if (isVoc && existsSync(join(folder, 'Annotations'))) return { kind: 'voc', path: folder };
  const tables = await tablesIn(folder);
  if (tables.length > 0) return { kind: kindOf(tables[0]!), paths: tables };
  if (yolo?.endsWith('.txt') || yolo?.endsWith('.names')) return { kind: 'yolo', path: folder };
  return { kind: isVoc ? 'voc' : 'class-folders', path: folder };
}

async function listsNames(yaml: string): Promise<boolean> {
  checkInputFile(yaml);
  return /^names\s*:/m.test(await readFile(yaml, 'utf8'));
}

/** The files that a path stands for: itself, those that match its `*`, or the tables in a folder. */
async function filesAt(path: string, all: readonly string[]): Promise<string[]> {
  if (!existsSync(path)) {
    const found = isPattern(path) ? matchingFiles(path) : [];
    if (found.length > 0) return found;
    const within = all.length > 1 ? ` (in '${all.map(shownPath).join(',')}')` : '';
    const problem = isPattern(path)
      ? 'no file matches'
      : `no such file or folder${nameHint(shownPath(path))}`;
    throw new DataError(`${shownPath(path)}${within}: ${problem}`);
  }
  const found = statSync(path);
  const kind = unusualKind(found);
  if (kind !== undefined) throw new DataError(`${shownPath(path)}: is ${kind}; expected a file or a folder`);
  if (!found.isDirectory()) return [path];
  const tables = await tablesIn(path);
  if (tables.length > 0) return tables;
  throw new DataError(`${shownPath(path)}: no .parquet, instances*.json, .csv, or .arff in this folder`);
}

/** A hint if a missing path looks like a dataset name. */
function nameHint(path: string): string {
  const [name = '', folder] = path.split('=');
  if (/[^a-z0-9-]/.test(name)) return '';
  const known = knownDatasets.find((candidate) => candidate === name);
  if (known) return `; for the known dataset, use ${known === 'digits' ? known : `${known}=FOLDER`}`;
  if (folder === undefined) return '';
  return `, and there is no known dataset '${name}'; ${nearestOrAll(name, knownDatasets, 'the known datasets are')}`;
}

/**
 * The tables of a folder: feature matrices, else Parquet, else COCO JSON, else CSV, else ARFF. Train comes
 * before validation, and validation before test.
 */
async function tablesIn(folder: string): Promise<string[]> {
  const below = [folder, join(folder, 'annotations'), join(folder, 'data')].filter((path) =>
    existsSync(path),
  );
  const files: string[] = [];
  for (const path of below) files.push(...(await folderContents(path)).files.map((name) => join(path, name)));
  const matrices = files.filter((path) => isMatrixFile(path) && hasTableBeside(path, files));
  if (matrices.length > 0) return matrices.sort(bySplit);
  for (const pattern of [/\.parquet$/, /instances[^/]*\.json$/, /\.csv(\.gz)?$/, /\.arff$/]) {
    const found = files.filter((name) => pattern.test(name));
    if (found.length > 0) return found.sort(bySplit);
  }
  return [];
}

/** A folder may also contain a network's weights; features have a table of labels next to them. */
function hasTableBeside(path: string, files: readonly string[]): boolean {
  const stem = path.slice(0, -extname(path).length);
  return files.includes(`${stem}.csv`) || files.includes(`${stem}.csv.gz`);
}

function bySplit(a: string, b: string): number {
  return splitRank(a) - splitRank(b) || (a < b ? -1 : 1);
}

function splitRank(path: string): number {
  const name = basename(path).toLowerCase();
  return ['train', 'val', 'test'].findIndex((word) => name.includes(word)) >>> 0;
}

function kindOf(path: string): TableKind {
  const extension = extname(path.replace(/\.gz$/, '')).toLowerCase();
  if (extension === '.csv' || extension === '.tsv' || extension === '.txt') return 'csv';
  if (extension === '.json') return 'json';
  if (extension === '.parquet') return 'parquet';
  if (extension === '.arff') return 'arff';
  if (isMatrixFile(path)) return 'matrix';
  throw new DataError(
    `${shownPath(path)}: unknown file type '${extension}'; expected .csv, .json, .parquet, .arff, .npy, .safetensors, .yaml, or a folder`,
  );
}
