// Pascal VOC. Everingham et al., "The Pascal Visual Object Classes (VOC) Challenge", IJCV 2010; also folders
// in its format by LabelImg, CVAT, or Roboflow.

import { existsSync } from 'node:fs';
import { basename, extname, join, relative } from 'node:path';
import { inflected } from '../../../errors/counted.js';
import { DataError } from '../../../errors/dataError.js';
import { shownPath } from '../../../files/shownPath.js';
import type { DatasetTable, Remark } from '../../dataset/dataset.js';
import { isImageFile } from '../../images/formats/imageFiles.js';
import { type UncertainPolicy, uncertainTarget } from '../../tables/labelCells.js';
import { readText } from '../../tables/textFile.js';
import { splitFromWord } from '../splitWords.js';
import { type ImagePart, imagesBelow, readSidecars, type SidecarKind } from './sidecars.js';
import type { Unlabeled } from './unlabeled.js';
import { folderContents } from './walkFolder.js';

export interface VocOptions {
  /**
   * Folder of the images. Default: `JPEGImages` or `images` in the dataset's folder, or that folder itself.
   */
  readonly imageFolder?: string;
  readonly classes?: readonly string[];
  /** How a class is read if all its objects are difficult. Default `ignore`: as unknown. */
  readonly uncertain?: UncertainPolicy;
  /** How images without an annotation are read. Default `unknown`. */
  readonly unlabeled?: Unlabeled;
}

const annotationFolders = ['Annotations', 'annotations', 'annotations/xmls', 'xmls'];

/**
 * Reads a dataset with Pascal VOC's XML: `Annotations` and `JPEGImages` with the lists in `ImageSets/Main` as
 * splits, or annotations next to their images, also in folders `train`, `valid`, and `test`. A class is
 * present if the image has an object of it.
 *
 * @example
 * await readVoc('VOCdevkit/VOC2012', {})
 */
export async function readVoc(root: string, options: VocOptions): Promise<DatasetTable> {
  const { readVocAnnotation } = await import('./vocAnnotation.js'); // the XML parser is loaded only if needed
  const annotations = await annotationFolderIn(root);
  const images =
    options.imageFolder ??
    ['JPEGImages', 'images'].map((name) => join(root, name)).find((path) => existsSync(path)) ??
    root;
  const kind: SidecarKind = {
    what: 'annotation',
    extension: '.xml',
    labelFolder(folder) {
      const mirrored = join(annotations ?? images, relative(images, folder));
      return existsSync(mirrored) ? mirrored : folder;
    },
    isOther: () => false,
    read: readVocAnnotation,
    unlabeled: options.unlabeled ?? 'unknown',
  };
  const listed = await listedParts(root, images, annotations);
  const table = await readSidecars(images, listed?.parts ?? (await folderParts(images)), kind, {
    classes: options.classes,
    uncertain: uncertainTarget(options.uncertain ?? 'ignore'),
    splitOrigin: listed ? 'the lists of ImageSets/Main' : 'one folder per split',
  });
  return { ...table, name: basename(root), remarks: [...table.remarks, ...(listed?.remarks ?? [])] };
}

/**
 * Whether a folder has Pascal VOC annotations: in an annotation folder, or next to
 * images, possibly in each split.
 */
export async function holdsVocAnnotations(root: string): Promise<boolean> {
  const { folders } = await folderContents(root);
  const splits = folders.filter((name) => splitFromWord(name) !== undefined);
  for (const name of ['.', ...annotationFolders, ...splits]) {
    const folder = join(root, name);
    if (!existsSync(folder)) continue;
    const { files } = await folderContents(folder);
    if (!files.some((file) => extname(file) === '.xml')) continue;
    // Other programs write XML too: next to images, some image must have an XML file of its name.
    const stems = new Set(files.filter(isImageFile).map((file) => basename(file, extname(file))));
    if (annotationFolders.includes(name)) return true;
    if (files.some((file) => file.endsWith('.xml') && stems.has(basename(file, '.xml')))) return true;
  }
  return false;
}

async function listedParts(
  root: string,
  images: string,
  annotations: string | undefined,
): Promise<{ parts: ImagePart[]; remarks: Remark[] } | undefined> {
  const main = join(root, 'ImageSets', 'Main');
  const lists = (['train', 'val', 'test'] as const).filter((name) => existsSync(join(main, `${name}.txt`)));
  if (lists.length === 0) return undefined;
  const fileOf = new Map<string, string>();
  if (existsSync(images)) {
    for (const file of (await folderContents(images)).files) fileOf.set(basename(file, extname(file)), file);
  }
  const seen = new Map<string, string>();
  const parts: ImagePart[] = [];
  for (const name of lists) {
    const path = join(main, `${name}.txt`);
    const files: string[] = [];
    for (const [i, line] of (await readText(path, 1 << 28)).split(/\r?\n/).entries()) {
      const id = line.trim();
      if (id === '') continue;
      const where = `${shownPath(path)}, line ${i + 1}`;
      if (!/^[^\s/\\]+$/.test(id))
        throw new DataError(`${where}: '${id}'; expected an image name without extension`);
      const before = seen.get(id);
      if (before !== undefined) throw new DataError(`${where}: '${id}' is already in ${before}`);
      seen.set(id, where);
      // A file that does not exist is reported as missing with VOC's usual extension.
      files.push(fileOf.get(id) ?? `${id}.jpg`);
    }
    parts.push({ split: splitFromWord(name), images: [{ folder: images, files }], isListed: true });
  }
  return { parts, remarks: await unlistedRemark(annotations, seen) };
}

async function unlistedRemark(
  annotations: string | undefined,
  listed: ReadonlyMap<string, string>,
): Promise<Remark[]> {
  if (annotations === undefined) return [];
  const unlisted = (await folderContents(annotations)).files.filter(
    (file) => !listed.has(basename(file, '.xml')),
  );
  const text = `annotated ${inflected(unlisted.length, 'image')} in no list of ImageSets/Main: not used`;
  return unlisted.length === 0 ? [] : [{ text, count: unlisted.length, examples: unlisted.slice(0, 10) }];
}

async function folderParts(images: string): Promise<ImagePart[]> {
  const { folders, files } = await folderContents(images);
  const splits = folders.filter((name) => splitFromWord(name) !== undefined);
  if (splits.length === 0 || splits.length < folders.length || files.some(isImageFile)) {
    return [{ split: undefined, images: imagesBelow(images), isListed: false }];
  }
  return splits.map((name) => ({
    split: splitFromWord(name),
    images: imagesBelow(join(images, name)),
    isListed: false,
  }));
}

/** The folder that directly contains annotations, or else the first that may have them in subfolders. */
async function annotationFolderIn(root: string): Promise<string | undefined> {
  const there = annotationFolders.map((name) => join(root, name)).filter((path) => existsSync(path));
  for (const path of there) {
    const { files } = await folderContents(path);
    if (files.some((file) => file.endsWith('.xml'))) return path;
  }
  return there[0];
}
