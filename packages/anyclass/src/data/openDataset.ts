import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, extname, join } from 'node:path';
import { DataError } from '../errors/dataError.js';
import { nearest, nearestOrAll } from '../errors/nearest.js';
import { shownPath } from '../files/shownPath.js';
import { type Dataset, type DatasetTable, photographPreparation } from './dataset.js';
import { type DatasetSpec, isPattern, knownDatasets, matchingFiles, parseDataset } from './datasetSpec.js';
import { type DigitsOptions, readDigits } from './digits/digits.js';
import { selectClasses } from './labelMatrix.js';
import { readChestxray14 } from './readers/chestxray14.js';
import { readCoco } from './readers/coco.js';
import { cocoSubsets, readCocoSubset } from './readers/cocoSubsets.js';
import { type CsvTableOptions, readCsvTables } from './readers/csvTables.js';
import { readParquetTables } from './readers/parquetTables.js';
import { readSewerml } from './readers/sewerml.js';
import { type DrawOptions, describeDraw, drawSplits } from './splits/drawSplits.js';
import { loadSplits } from './splits/splitFiles.js';

/** How to read a dataset; all of it optional. */
export interface OpenOptions extends CsvTableOptions {
  /** Keep only these classes, in this order. */
  readonly keep?: readonly string[];
  /** Leave these classes out; instances left with none are negative. */
  readonly drop?: readonly string[];
  /** Folder with train.txt, validation.txt and test.txt. */
  readonly splitFolder?: string;
  /** Draw the splits, also where the data bring their own. */
  readonly draw?: DrawOptions;
  readonly digits?: DigitsOptions;
}

/**
 * Open a dataset by what a user writes on the command line: `sewerml=DIR`, `digits`, a folder, a `.csv`, `.json` or
 * `.parquet` file, several of them with commas, or with `*` in the file name. A path that is there is taken as it is, whatever
 * its name holds.
 *
 * @example
 * const dataset = await openDataset('chestxray14=data/chest');
 * dataset.splits.train.length // 78566
 */
export async function openDataset(spec: string, options: OpenOptions = {}): Promise<Dataset> {
  const table = await readDatasetTable(parseDataset(spec), options);
  try {
    return await withSplits(chooseClasses(table, options), options);
  } catch (error) {
    await table.images.close();
    throw error;
  }
}

async function withSplits(table: DatasetTable, options: OpenOptions): Promise<Dataset> {
  const { fixedSplits, preparation = photographPreparation, ...rest } = table;
  if (options.splitFolder !== undefined) {
    const splits = await loadSplits(options.splitFolder, table.names);
    return { ...rest, preparation, splits, splitOrigin: `files in ${options.splitFolder}` };
  }
  if (fixedSplits && !options.draw) {
    return { ...rest, preparation, splits: fixedSplits.splits, splitOrigin: fixedSplits.origin };
  }
  const draw = options.draw ?? {};
  const splits = drawSplits(table.labels, table.groups, draw);
  return { ...rest, preparation, splits, splitOrigin: describeDraw(table.groups, draw) };
}

async function readDatasetTable(spec: DatasetSpec, options: OpenOptions): Promise<DatasetTable> {
  if (spec.kind === 'digits') return readDigits(options.digits ?? {});
  if (spec.kind === 'known') return readKnown(spec);
  const paths = spec.paths.flatMap((path) => filesAt(path, spec.paths));
  const kinds = new Set(paths.map((path) => kindOf(path)));
  if (kinds.size > 1) {
    throw new DataError(
      `${spec.paths.map(shownPath).join(',')}: files of several kinds (${[...kinds].join(', ')}); name one kind`,
    );
  }
  const kind = [...kinds][0];
  // Names of dropped classes are checked against all that there are.
  const { keep, ...reading } = options;
  const table = { ...reading, ...(keep && !options.drop?.length && { keep: withSubsets(keep) }) };
  if (kind === 'csv') return readCsvTables(paths, table);
  if (kind === 'parquet') return readParquetTables(paths, table);
  const { classes, imageFolder } = options;
  return readCoco(paths, { ...(classes && { classes }), ...(imageFolder && { imageFolder }) });
}

function readKnown({ name, folder }: Extract<DatasetSpec, { kind: 'known' }>): Promise<DatasetTable> {
  if (!existsSync(folder)) {
    throw new DataError(`${name}=${shownPath(folder)}: there is no folder '${shownPath(folder)}'`);
  }
  if (name === 'sewerml') return readSewerml(folder);
  return name === 'chestxray14' ? readChestxray14(folder) : readCocoSubset(name, folder);
}

/** The files that a path means: itself, those that match its `*`, or the tables in a folder. */
function filesAt(path: string, all: readonly string[]): string[] {
  if (!existsSync(path)) {
    const found = isPattern(path) ? matchingFiles(path) : [];
    if (found.length > 0) return found;
    const within = all.length > 1 ? ` (in '${all.map(shownPath).join(',')}')` : '';
    const problem = isPattern(path)
      ? 'no file matches'
      : `no such file or folder${nameHint(shownPath(path))}`;
    throw new DataError(`${shownPath(path)}${within}: ${problem}`);
  }
  return statSync(path).isDirectory() ? tablesIn(path) : [path];
}

/** What to write in place of a path that looks like the name of a dataset. */
function nameHint(path: string): string {
  const [name = '', folder] = path.split('=');
  if (/[^a-z0-9-]/.test(name)) return '';
  const known = knownDatasets.find((candidate) => candidate === name);
  if (known) return `; for the known dataset write ${known === 'digits' ? known : `${known}=FOLDER`}`;
  if (folder === undefined) return '';
  return `, and no dataset is known as '${name}'; ${nearestOrAll(name, knownDatasets, 'known are')}`;
}

/** The tables of a folder: Parquet, else COCO json, else CSV; train before validation before test. */
function tablesIn(folder: string): string[] {
  const below = [folder, join(folder, 'annotations'), join(folder, 'data')].filter((path) =>
    existsSync(path),
  );
  const files = below.flatMap((path) => readdirSync(path).map((name) => join(path, name)));
  for (const pattern of [/\.parquet$/, /instances[^/]*\.json$/, /\.csv(\.gz)?$/]) {
    const found = files.filter((name) => pattern.test(name));
    if (found.length > 0) return found.sort((a, b) => splitRank(a) - splitRank(b) || (a < b ? -1 : 1));
  }
  throw new DataError(`${shownPath(folder)}: no .parquet, instances*.json or .csv in this folder`);
}

function splitRank(path: string): number {
  const name = basename(path).toLowerCase();
  return ['train', 'val', 'test'].findIndex((word) => name.includes(word)) >>> 0;
}

function kindOf(path: string): 'csv' | 'json' | 'parquet' {
  const extension = extname(path.replace(/\.gz$/, '')).toLowerCase();
  if (extension === '.csv' || extension === '.tsv' || extension === '.txt') return 'csv';
  if (extension === '.json') return 'json';
  if (extension === '.parquet') return 'parquet';
  throw new DataError(
    `${shownPath(path)}: unknown kind of file '${extension}'; expected .csv, .json, .parquet or a folder`,
  );
}

function chooseClasses(table: DatasetTable, { keep, drop }: OpenOptions): DatasetTable {
  if (!keep && !drop) return table;
  const asked = keep && withSubsets(keep);
  for (const name of [...(asked ?? []), ...(drop ?? [])]) {
    if (!table.classes.includes(name)) {
      throw new DataError(`${table.name}: no class '${name}'; ${classHint(name, table.classes)}`);
    }
  }
  const classes = (asked ?? table.classes).filter((name) => !drop?.includes(name));
  if (classes.length === 0) throw new DataError(`${table.name}: no class is left`);
  const indices = classes.map((name) => table.classes.indexOf(name));
  return {
    ...table,
    classes,
    labels: selectClasses(table.labels, indices),
    ...(table.classImportance && { classImportance: indices.map((j) => table.classImportance![j]!) }),
  };
}

/** A list of classes may be meant too. */
function classHint(name: string, classes: readonly string[]): string {
  const subset = nearest(name, Object.keys(cocoSubsets));
  return subset ? `did you mean '${subset}'?` : nearestOrAll(name, classes, 'the classes are');
}

/** Class names, with those of the lists that have a name in its place. */
function withSubsets(names: readonly string[]): string[] {
  return names.flatMap((name) => (isSubset(name) ? cocoSubsets[name] : [name]));
}

function isSubset(name: string): name is keyof typeof cocoSubsets {
  return Object.hasOwn(cocoSubsets, name);
}
