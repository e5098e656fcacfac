import { existsSync } from 'node:fs';
import { DataError } from '../errors/dataError.js';
import { nearest, nearestOrAll } from '../errors/nearest.js';
import { shownPath } from '../files/shownPath.js';
import { type Dataset, type DatasetTable, photographPreparation } from './dataset/dataset.js';
import { selectClasses } from './dataset/labelMatrix.js';
import { selectObjects } from './dataset/objectBoxes.js';
import type { ImageReading } from './dataset/reading/pixelFormat.js';
import { datasetFiles, type FolderLayout } from './datasetFiles.js';
import { type DatasetSpec, parseDataset } from './datasetSpec.js';
import { type DigitsOptions, readDigits } from './digits/digits.js';
import { lookAlikeGroups } from './lookAlikes/lookAlikeGroups.js';
import { readCoco } from './readers/coco/coco.js';
import { cocoSubsets, readCocoSubset } from './readers/coco/cocoSubsets.js';
import { withCorrections } from './readers/corrections.js';
import { readClassFolders } from './readers/folders/classFolders.js';
import type { Unlabeled } from './readers/folders/unlabeled.js';
import { readVoc } from './readers/folders/voc.js';
import { readYolo } from './readers/folders/yolo.js';
import { readChestxray14 } from './readers/known/chestxray14.js';
import { readChexpert } from './readers/known/chexpert.js';
import { readSewerml } from './readers/known/sewerml.js';
import { readVocChallenge } from './readers/known/vocChallenges.js';
import { type CsvTableOptions, readCsvTables } from './readers/labelTables/csvTables.js';
import { readParquetTables } from './readers/labelTables/parquetTables.js';
import { type DrawOptions, describeDraw, drawSplits } from './splits/drawSplits.js';
import { loadSplits } from './splits/splitFiles.js';

/** How to read a dataset. */
export interface OpenOptions extends CsvTableOptions {
  /**
   * How images without a label file, annotation, or class folder are read. Default: negative in
   * YOLO folders, else unknown.
   */
  readonly unlabeled?: Unlabeled;
  /** File with the features of a label table's rows. */
  readonly featureFile?: string;
  /** Keep only these classes, in this order. */
  readonly keep?: readonly string[];
  /** Leave these classes out; instances left without a class are negative. */
  readonly drop?: readonly string[];
  /** Folder with train.txt, validation.txt, and test.txt. */
  readonly splitFolder?: string;
  /** CSV file of labels that replace the dataset's own. */
  readonly corrections?: string;
  /**
   * `look-alikes`: images that look alike are in one group, so that no drawn split shares them. Groups of the dataset's
   * own that share a look-alike become one. Reads all images, once if there is a `hashFolder`.
   */
  readonly groups?: 'look-alikes';
  /** Folder in which hashes of images are kept for `groups`. */
  readonly hashFolder?: string;
  /** How files become images, for `groups`. Default: the dataset's own way. */
  readonly reading?: ImageReading;
  /** Called before something that takes a while. */
  readonly onNote?: (text: string) => void;
  /** Draw the splits, even if the data comes with its own. */
  readonly draw?: DrawOptions;
  readonly digits?: DigitsOptions;
}

/**
 * Opens a dataset as a user writes it on the command line: `sewerml=DIR`, `digits`, a folder, a `.csv`,
 * `.json`, `.parquet`, `.arff`, `.npy`, or `.safetensors` file, several of them with commas or with `*` in
 * the file name, or YOLO's `data.yaml`. An existing path is taken literally, whatever characters it contains.
 *
 * @example
 * const dataset = await openDataset('chestxray14=data/chest');
 * dataset.splits.train.length // 78566
 */
export async function openDataset(spec: string, options: OpenOptions = {}): Promise<Dataset> {
  const table = await readDatasetTable(parseDataset(spec), options);
  try {
    const corrected = chooseClasses(await correct(table, options), options);
    return await withSplits(await groupLookAlikes(corrected, options), options);
  } catch (error) {
    await table.images.close();
    throw error;
  }
}

function correct(table: DatasetTable, { corrections, ...options }: OpenOptions): Promise<DatasetTable> {
  if (corrections === undefined) return Promise.resolve(table);
  const isPartial = options.keep !== undefined || options.classes !== undefined;
  return withCorrections(table, corrections, { uncertain: options.uncertain, isPartial });
}

async function groupLookAlikes(table: DatasetTable, options: OpenOptions): Promise<DatasetTable> {
  if (options.groups === undefined) return table;
  if (table.images.absent !== undefined) {
    throw new DataError(`data.groups is ${options.groups}, but ${table.images.absent}; unset it`, {
      setting: 'data.groups=null',
    });
  }
  const { lookAlikeSets } = await import('./lookAlikes/imageHashes.js');
  const preparation = { ...(table.preparation ?? photographPreparation), ...options.reading };
  const { hashFolder: folder, onNote } = options;
  const sets = await lookAlikeSets({ ...table, preparation }, { folder, onNote });
  return { ...table, groups: lookAlikeGroups(table.groups, sets, table.names) };
}

async function withSplits(table: DatasetTable, options: OpenOptions): Promise<Dataset> {
  const { fixedSplits, preparation = photographPreparation, ...rest } = table;
  if (options.splitFolder !== undefined) {
    const splits = await loadSplits(options.splitFolder, table.names);
    const splitOrigin = `files in ${options.splitFolder}`;
    return { ...rest, preparation, splits, splitOrigin, hasOwnSplits: true };
  }
  if (fixedSplits && !options.draw) {
    const { splits, origin: splitOrigin } = fixedSplits;
    return { ...rest, preparation, splits, splitOrigin, hasOwnSplits: true };
  }
  const draw = options.draw ?? {};
  const splits = drawSplits(table.labels, table.groups, draw);
  return { ...rest, preparation, splits, splitOrigin: describeDraw(table.groups, draw) };
}

async function readDatasetTable(spec: DatasetSpec, options: OpenOptions): Promise<DatasetTable> {
  if (spec.kind === 'digits') {
    refuseColumns('digits', options);
    if (options.imageFolder !== undefined)
      throw new DataError('data.imageFolder is set, but digits has no files');
    return ofClasses(readDigits(options.digits ?? {}), options);
  }
  if (spec.kind === 'known') return ofClasses(await readKnown(spec, options), options);
  const found = await datasetFiles(spec.paths);
  if ('path' in found) return readFolder(found.kind, found.path, options);
  // Names of dropped classes are checked against all classes.
  const { keep, ...reading } = options;
  const table = { ...reading, ...(keep && !options.drop?.length && { keep: withSubsets(keep) }) };
  if (options.featureFile !== undefined) {
    if (found.kind !== 'csv') {
      throw new DataError(`data.features is set, but ${found.kind} files contain their own; unset it`, {
        setting: 'data.features=null',
      });
    }
    const { readWithFeatures } = await import('./readers/labelTables/joinFeatures.js');
    return readWithFeatures(found.paths, options.featureFile, table);
  }
  if (found.kind === 'csv') return readCsvTables(found.paths, table);
  if (found.kind === 'parquet') return readParquetTables(found.paths, table);
  if (found.kind === 'matrix') {
    const { readMatrices } = await import('./readers/labelTables/joinFeatures.js');
    return readMatrices(found.paths, table);
  }
  if (found.kind === 'arff') {
    const { readArffTables } = await import('./readers/labelTables/arffTables.js');
    return readArffTables(found.paths, table);
  }
  refuseColumns('COCO', options);
  const { classes, imageFolder } = options;
  return readCoco(found.paths, { ...(classes && { classes }), ...(imageFolder && { imageFolder }) });
}

function readFolder(kind: FolderLayout, path: string, options: OpenOptions): Promise<DatasetTable> {
  if (kind === 'class-folders') {
    refuseColumns('a folder per class', options, ['negativeLabel']);
    return readClassFolders(path, options);
  }
  refuseColumns(kind === 'yolo' ? 'YOLO' : 'Pascal VOC', options);
  return kind === 'yolo' ? readYolo(path, options) : readVoc(path, options);
}

function readKnown(
  { name, folder }: Extract<DatasetSpec, { kind: 'known' }>,
  options: OpenOptions,
): Promise<DatasetTable> {
  if (!existsSync(folder)) {
    throw new DataError(`${name}=${shownPath(folder)}: no such folder '${shownPath(folder)}'`);
  }
  // All classes of a known dataset are read; `ofClasses` selects among them.
  const { keep: _, ...reading } = options;
  if (name === 'chestxray14') return readChestxray14(folder, 'paper', reading);
  if (name === 'nih-official') return readChestxray14(folder, 'official', reading);
  if (name === 'sewerml' || name === 'chexpert') {
    refuseColumns(name, options, ['imageColumn', 'groupColumn', 'splitColumn', 'ignoreColumns']);
    return name === 'sewerml' ? readSewerml(folder, reading) : readChexpert(folder, reading);
  }
  refuseColumns(name, options);
  return name === 'voc2007' || name === 'voc2012'
    ? readVocChallenge(name, folder, reading)
    : readCocoSubset(name, folder, reading);
}

const columnFields = {
  imageColumn: 'image',
  labelColumn: 'labels',
  valueColumn: 'value',
  separator: 'separator',
  negativeLabel: 'negative',
  groupColumn: 'group',
  splitColumn: 'split',
  featureColumns: 'features',
  ignoreColumns: 'ignore',
} as const satisfies Partial<Record<keyof OpenOptions, string>>;

/** Refuses a field that would have no effect, since the user expects one. */
function refuseColumns(
  what: string,
  options: OpenOptions,
  allowed: readonly (keyof typeof columnFields)[] = [],
): void {
  for (const [option, field] of Object.entries(columnFields)) {
    if (Reflect.get(options, option) === undefined || allowed.some((name) => name === option)) continue;
    throw new DataError(`data.columns.${field} is set, but does not apply to ${what}; unset it`, {
      setting: `data.columns.${field}=null`,
    });
  }
}

/** Applies `classes` to a known dataset: a selection of its own classes, in that order. */
function ofClasses(table: DatasetTable, { classes }: OpenOptions): DatasetTable {
  return classes ? chooseClasses(table, { keep: classes }) : table;
}

function chooseClasses(table: DatasetTable, { keep, drop }: OpenOptions): DatasetTable {
  if (!keep && !drop) return table;
  const asked = keep && withSubsets(keep);
  const left = drop && withSubsets(drop);
  for (const name of [...(asked ?? []), ...(left ?? [])]) {
    if (!table.classes.includes(name)) {
      throw new DataError(`${table.name}: no class '${name}'; ${classHint(name, table.classes)}`);
    }
  }
  const classes = (asked ?? table.classes).filter((name) => !left?.includes(name));
  if (classes.length === 0) throw new DataError(`${table.name}: no class is left`);
  const indices = classes.map((name) => table.classes.indexOf(name));
  const { annotationCounts, objects } = table;
  return {
    ...table,
    classes,
    labels: selectClasses(table.labels, indices),
    ...(annotationCounts && { annotationCounts: indices.map((j) => annotationCounts[j]!) }),
    ...(objects && { objects: selectObjects(objects, indices) }),
    ...(table.classImportance && { classImportance: indices.map((j) => table.classImportance![j]!) }),
  };
}

/** A hint for a misspelled class, or for a misspelled list of classes. */
function classHint(name: string, classes: readonly string[]): string {
  const subset = nearest(name, Object.keys(cocoSubsets));
  return subset ? `did you mean '${subset}'?` : nearestOrAll(name, classes, 'the classes are');
}

/** Class names, with each named list replaced by its classes. */
function withSubsets(names: readonly string[]): string[] {
  return names.flatMap((name) => (isSubset(name) ? cocoSubsets[name] : [name]));
}

function isSubset(name: string): name is keyof typeof cocoSubsets {
  return Object.hasOwn(cocoSubsets, name);
}
