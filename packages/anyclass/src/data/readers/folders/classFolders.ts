// A folder per class: `crack/1.jpg`, `train/crack/1.jpg`, `negative/2.jpg`.

import { basename, join } from 'node:path';
import { inflected } from '../../../errors/counted.js';
import { DataError } from '../../../errors/dataError.js';
import { listed } from '../../../errors/listed.js';
import { shownPath } from '../../../files/shownPath.js';
import { countedNames } from '../../dataset/countedNames.js';
import { type DatasetTable, type Remark, type SplitName, splitNames } from '../../dataset/dataset.js';
import { nameTableBuilder } from '../../dataset/nameTable.js';
import { growingInt32 } from '../../dataset/typedArrays.js';
import { holdsImage, skippedWords } from '../../images/formats/imageFiles.js';
import { fileImages } from '../../images/storage/fileImages.js';
import { splitFromWord, splitsFromCodes } from '../splitWords.js';
import { namedLabels } from './namedLabels.js';
import { type Unlabeled, unlabeledLabels } from './unlabeled.js';
import { walkFolder } from './walkFolder.js';

export interface ClassFolderOptions {
  readonly classes?: readonly string[];
  /** A folder of negatives, in addition to `negative` and `negatives`. */
  readonly negativeLabel?: string;
  /** How images outside any class folder are read. Default `unknown`. */
  readonly unlabeled?: Unlabeled;
}

/**
 * Reads a dataset with a folder per class. Every folder on an image's path is a label, so `animal/cat/1.jpg`
 * is both; images in a folder called `negative` have no label. Folders `train`, `val`, and `test` above the
 * classes are the splits.
 *
 * @example
 * await readClassFolders('photos', {}) // classes: the names of the folders
 */
export async function readClassFolders(root: string, options: ClassFolderOptions): Promise<DatasetTable> {
  const names = nameTableBuilder();
  const labels = namedLabels();
  const splits = growingInt32();
  const skipped = countedNames();
  const outside: string[] = [];
  const nested = new Set<string>();
  let areSplits = false;
  for await (const { below, files, folders } of walkFolder(root)) {
    if (below === '') areSplits = foldersAreSplits(folders, root);
    refuseOtherLayouts(folders, join(root, below));
    const path = below === '' ? [] : below.split('/');
    const split = areSplits ? splitOfFolder(path[0] ?? '') : undefined;
    const above = areSplits ? path.slice(1) : path;
    if (above.length > 1) nested.add(above.join('/'));
    const present = above.filter((folder) => !isNegative(folder, options));
    for (const file of files) {
      const name = join(below, file);
      if (!holdsImage(join(root, below), file)) {
        skipped.add(name);
        continue;
      }
      if (above.length === 0) outside.push(name);
      names.add(name);
      splits.push(split === undefined ? -1 : splitNames.indexOf(split));
      labels.addRow(
        above.length === 0 ? unlabeledLabels(options.unlabeled ?? 'unknown') : { present },
        shownPath(join(root, below)),
      );
    }
  }
  if (labels.rows === outside.length) {
    throw new DataError(
      `${shownPath(root)}: no images in class folders; expected a folder per class, a table (.csv, .parquet), COCO's instances*.json, YOLO's data.yaml, or Pascal VOC's Annotations`,
    );
  }
  const table = names.finish();
  const fixedSplits = splitsFromCodes(splits.finish(), 'one folder per split');
  return {
    name: basename(root),
    names: table,
    ...labels.finish({ classes: options.classes, uncertain: Number.NaN }),
    images: fileImages(table, () => root),
    remarks: [
      ...outsideRemark(outside, options.unlabeled ?? 'unknown'),
      ...nestedRemark([...nested]),
      ...skipped.remarks(...skippedWords),
    ],
    ...(fixedSplits && { fixedSplits }),
  };
}

/**
 * Folders `train`, `val`, and `test` are splits if alone; a single one among others is a class,
 * such as a railway train.
 */
function foldersAreSplits(folders: readonly string[], root: string): boolean {
  const splits = folders.filter((name) => splitOfFolder(name) !== undefined);
  const others = folders.filter((name) => splitOfFolder(name) === undefined);
  if (splits.length > 1 && others.length > 0) {
    throw new DataError(
      `${shownPath(root)}: folders ${listed(splits)} look like splits, but ${listed(others)} ${others.length === 1 ? 'is' : 'are'} next to them; move ${others.length === 1 ? 'it' : 'them'} elsewhere, or rename folders that are classes`,
    );
  }
  return splits.length > 0 && others.length === 0;
}

/** The split that a folder's name stands for, also with a number, as in `train2017`. */
function splitOfFolder(name: string): SplitName | undefined {
  return splitFromWord(name.replace(/\d+$/, ''));
}

/**
 * Refuses folders whose names belong to other layouts: they contain images or labels of
 * all classes, not of one.
 */
function refuseOtherLayouts(folders: readonly string[], place: string): void {
  if (folders.includes('JPEGImages') || folders.includes('Annotations')) {
    throw new DataError(
      `${shownPath(place)}: looks like Pascal VOC; use this folder as the dataset, with annotations (.xml) in 'Annotations'`,
    );
  }
  if (folders.includes('images')) {
    throw new DataError(
      `${shownPath(place)}: has a folder 'images' but no recognized labels; expected YOLO's data.yaml or classes.txt next to 'labels', or a table. If 'images' has a folder per class, use it as the dataset`,
    );
  }
}

function isNegative(folder: string, { negativeLabel }: ClassFolderOptions): boolean {
  return folder === negativeLabel || /^negatives?$/i.test(folder);
}

function outsideRemark(outside: readonly string[], unlabeled: Unlabeled): Remark[] {
  if (outside.length === 0) return [];
  const reading = unlabeled === 'unknown' ? 'labels unknown' : 'read as negative';
  const text = `${inflected(outside.length, 'image')} outside any class folder: ${reading} (data.unlabeled)`;
  return [{ text, count: outside.length, examples: outside.slice(0, 10) }];
}

function nestedRemark(nested: readonly string[]): Remark[] {
  if (nested.length === 0) return [];
  const folders = inflected(nested.length, 'class folder within another', 'class folders within others');
  const text = `${folders}: each folder on the path is a label; select with data.keep and data.drop`;
  return [{ text, count: nested.length, examples: nested.slice(0, 10) }];
}
