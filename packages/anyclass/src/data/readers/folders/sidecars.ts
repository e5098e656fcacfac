// Images with one label file each: YOLO's .txt, Pascal VOC's .xml.

import { existsSync } from 'node:fs';
import { basename, dirname, extname, join, relative } from 'node:path';
import { inflected } from '../../../errors/counted.js';
import { DataError } from '../../../errors/dataError.js';
import { shownPath } from '../../../files/shownPath.js';
import { type CountedNames, countedNames } from '../../dataset/countedNames.js';
import { type DatasetTable, type Remark, type SplitName, splitNames } from '../../dataset/dataset.js';
import { nameTableBuilder } from '../../dataset/nameTable.js';
import { growingInt32 } from '../../dataset/typedArrays.js';
import { holdsImage, skippedWords } from '../../images/formats/imageFiles.js';
import { fileImages } from '../../images/storage/fileImages.js';
import { splitsFromCodes } from '../splitWords.js';
import { type ImageLabels, namedLabels } from './namedLabels.js';
import { type Unlabeled, unlabeledLabels } from './unlabeled.js';
import { folderContents, walkFolder } from './walkFolder.js';

/** The images of one split, or of the whole dataset if `split` is undefined. */
export interface ImagePart {
  readonly split: SplitName | undefined;
  /** The images by folder, in row order. */
  readonly images: AsyncIterable<ImageFolder> | Iterable<ImageFolder>;
  /** Whether the images are a selection from their folders, so that other label files there are ignored. */
  readonly isListed: boolean;
}

export interface ImageFolder {
  readonly folder: string;
  readonly files: readonly string[];
  /** Files next to them that are not images. */
  readonly others?: readonly string[];
}

/** How label files are stored. */
export interface SidecarKind {
  /** The word for a label file in messages. */
  readonly what: string;
  readonly extension: string;
  /** The folder with the labels of the images in a folder. */
  labelFolder(imageFolder: string): string;
  /** Whether a file with that extension contains something other than labels. */
  isOther(file: string): boolean;
  read(path: string): Promise<ImageLabels>;
  /** How images without a label file are read. */
  readonly unlabeled: Unlabeled;
}

export interface SidecarOptions {
  readonly classes?: readonly string[] | undefined;
  /** The target of an uncertain label. */
  readonly uncertain: number;
  /** Where the splits come from, in words. */
  readonly splitOrigin: string;
}

/**
 * Reads a dataset of images below `root` and their label files. In a part without any label file,
 * all labels are unknown. Elsewhere, an image without a label file is read according to
 * `kind.unlabeled`, and is counted.
 */
export async function readSidecars(
  root: string,
  parts: readonly ImagePart[],
  kind: SidecarKind,
  options: SidecarOptions,
): Promise<DatasetTable> {
  const names = nameTableBuilder();
  const labels = namedLabels();
  const splits = growingInt32();
  const unlabeled: UnlabeledPart[] = [];
  const orphans = countedNames();
  const skipped = countedNames();
  const unknownRows: { from: number; to: number }[] = [];
  for (const { split, images, isListed } of parts) {
    const from = names.length;
    const lacking = countedNames();
    for await (const { folder, files, others = [] } of images) {
      const labelFolder = kind.labelFolder(folder);
      const labelFiles = new Set(existsSync(labelFolder) ? (await folderContents(labelFolder)).files : []);
      const used = new Set<string>();
      const pathOf = (file: string) => {
        const labelFile = basename(file, extname(file)) + kind.extension;
        if (!labelFiles.has(labelFile)) return undefined;
        used.add(labelFile);
        return join(labelFolder, labelFile);
      };
      for await (const { file, path, found } of readInOrder(files, pathOf, kind.read)) {
        const name = relative(root, join(folder, file));
        if (path === undefined) lacking.add(name);
        names.add(name);
        labels.addRow(path === undefined ? unlabeledLabels(kind.unlabeled) : found, shownPath(path ?? name));
        splits.push(split === undefined ? -1 : splitNames.indexOf(split));
      }
      for (const file of others) {
        if (!file.endsWith(kind.extension)) skipped.add(relative(root, join(folder, file)));
      }
      if (isListed) continue;
      for (const file of labelFiles) {
        if (file.endsWith(kind.extension) && !used.has(file) && !kind.isOther(file)) {
          orphans.add(relative(root, join(labelFolder, file)));
        }
      }
    }
    const to = names.length;
    if (from === to && split !== undefined) {
      throw new DataError(`${shownPath(root)}: the ${split} split has no images`);
    }
    const isWhole = lacking.count === to - from;
    if (isWhole) unknownRows.push({ from, to });
    unlabeled.push({ split, names: lacking, isWhole });
  }
  if (unlabeled.every(({ isWhole }) => isWhole)) {
    throw new DataError(
      `${shownPath(root)}: none of the ${names.length} images has ${oneOf(kind)}${names.length > 0 ? `; the first is ${unlabeled[0]!.names.examples[0]}` : ''}`,
    );
  }
  const table = names.finish();
  refuseRepeats(table.firstRows(), (row) => table.at(row), root);
  const fixedSplits = splitsFromCodes(splits.finish(), options.splitOrigin);
  return {
    name: basename(root),
    names: table,
    ...labels.finish({ ...options, unknownRows }),
    images: fileImages(table, () => root),
    remarks: [
      ...unlabeledRemarks(unlabeled, kind),
      ...orphans.remarks(
        `${kind.what} without an image: not used`,
        `${kind.what}s without an image: not used`,
      ),
      ...skipped.remarks(...skippedWords),
    ],
    ...(fixedSplits && { fixedSplits }),
  };
}

/** The images in a folder and its subfolders. */
export async function* imagesBelow(root: string): AsyncGenerator<ImageFolder> {
  for await (const { below, files } of walkFolder(root)) {
    const folder = join(root, below);
    const images = files.filter((file) => holdsImage(folder, file));
    const isImage = new Set(images);
    const others = files.filter((file) => !isImage.has(file));
    if (files.length > 0) yield { folder, files: images, others };
  }
}

/** Listed images in list order; neighbors in the same folder are grouped. */
export function imagesListed(paths: readonly string[]): ImageFolder[] {
  const folders: { folder: string; files: string[] }[] = [];
  for (const path of paths) {
    const folder = dirname(path);
    const last = folders.at(-1);
    if (last?.folder === folder) last.files.push(basename(path));
    else folders.push({ folder, files: [basename(path)] });
  }
  return folders;
}

/** Reads the label files of images several at a time, and yields them in order. */
async function* readInOrder(
  files: readonly string[],
  pathOf: (file: string) => string | undefined,
  read: (path: string) => Promise<ImageLabels>,
): AsyncGenerator<{ file: string; path: string | undefined; found: ImageLabels | undefined }> {
  const atOnce = 64;
  for (let start = 0; start < files.length; start += atOnce) {
    const some = files.slice(start, start + atOnce).map((file) => ({ file, path: pathOf(file) }));
    const found = await Promise.all(some.map(({ path }) => (path === undefined ? undefined : read(path))));
    for (const [i, row] of some.entries()) yield { ...row, found: found[i] };
  }
}

function refuseRepeats(
  firstRows: Int32Array | undefined,
  nameOf: (row: number) => string,
  root: string,
): void {
  const row = firstRows?.findIndex((first, i) => first !== i);
  if (row === undefined) return;
  throw new DataError(
    `${shownPath(root)}: image '${nameOf(row)}' is in two splits, or twice in one; keep it in one place`,
  );
}

function oneOf({ what }: SidecarKind): string {
  return `${/^[aeiou]/.test(what) ? 'an' : 'a'} ${what}`;
}

/** The images of a part that have no label file; with `isWhole`, all of them. */
interface UnlabeledPart {
  readonly split: SplitName | undefined;
  readonly names: CountedNames;
  readonly isWhole: boolean;
}

/** One remark on individual images, and one on each split without any label file. */
function unlabeledRemarks(parts: readonly UnlabeledPart[], kind: SidecarKind): Remark[] {
  const whole = parts.filter(({ isWhole }) => isWhole);
  const some = parts.filter(({ isWhole }) => !isWhole).map(({ names }) => names);
  const count = some.reduce((sum, names) => sum + names.count, 0);
  const reading = kind.unlabeled === 'negative' ? 'read as negative' : 'labels unknown';
  const text = `${inflected(count, 'image')} without ${oneOf(kind)}: ${reading} (data.unlabeled)`;
  const examples = some.flatMap((names) => names.examples).slice(0, 10);
  return [
    ...(count === 0 ? [] : [{ text, count, examples }]),
    ...whole.flatMap(({ split, names }) => {
      const ofSplit = `of the ${split} split, which has no ${kind.what}s: labels unknown`;
      return names.remarks(`image ${ofSplit}`, `images ${ofSplit}`);
    }),
  ];
}
