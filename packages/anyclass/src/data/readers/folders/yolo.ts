// YOLO folders, as written by Ultralytics, Roboflow, Darknet, and LabelImg: images, a label file for each,
// and the class names in `data.yaml` or `classes.txt`.

import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { DataError } from '../../../errors/dataError.js';
import { shownPath } from '../../../files/shownPath.js';
import type { DatasetTable } from '../../dataset/dataset.js';
import { splitFromWord } from '../splitWords.js';
import { imagesBelow, readSidecars, type SidecarKind } from './sidecars.js';
import type { Unlabeled } from './unlabeled.js';
import { folderContents } from './walkFolder.js';
import { readClassList, readYoloLabels } from './yoloLabels.js';
import type { YoloLayout } from './yoloYaml.js';

export interface YoloOptions {
  /** Folder that the paths in `data.yaml` are relative to. Default: its `path`, or its own folder. */
  readonly imageFolder?: string;
  readonly classes?: readonly string[];
  /** How images without a label file are read. Default `negative`, as in YOLO. */
  readonly unlabeled?: Unlabeled;
}

const classLists = ['classes.txt', 'classes.names', 'obj.names'];

/**
 * Reads a dataset from `data.yaml`, or from a folder with it or with `classes.txt`. A class is present if the
 * image has an object of it; an image without objects, or by default without a label file, is negative.
 *
 * @example
 * await readYolo('data/pipes', {}) // or 'data/pipes/data.yaml'
 */
export async function readYolo(path: string, options: YoloOptions): Promise<DatasetTable> {
  const layout = await layoutAt(path, options.imageFolder);
  const kind: SidecarKind = {
    what: 'label file',
    extension: '.txt',
    labelFolder: yoloLabelFolder,
    isOther: (file) => classLists.includes(file),
    read: (labelFile) => readYoloLabels(labelFile, layout.classes),
    unlabeled: options.unlabeled ?? 'negative',
  };
  const table = await readSidecars(layout.root, layout.parts, kind, {
    classes: options.classes ?? [...layout.classes.values()],
    uncertain: Number.NaN,
    splitOrigin: layout.splitOrigin,
  });
  const name = basename(/\.ya?ml$/i.test(path) ? dirname(path) : path);
  return { ...table, name, remarks: [...layout.remarks, ...table.remarks] };
}

/**
 * The file that describes a YOLO folder: `data.yaml`, or else the only .yaml file, or a list of classes in
 * the folder or in `labels`.
 *
 * @example
 * yoloFileIn('data/pipes') // 'data/pipes/data.yaml'
 */
export async function yoloFileIn(folder: string): Promise<string | undefined> {
  const { files } = await folderContents(folder);
  const yaml = files.filter((name) => /\.ya?ml$/i.test(name));
  const chosen =
    yaml.find((name) => /^(data|dataset)\.ya?ml$/i.test(name)) ?? (yaml.length === 1 ? yaml[0] : undefined);
  if (chosen !== undefined) return join(folder, chosen);
  return classListIn(folder);
}

function classListIn(folder: string): string | undefined {
  return [folder, join(folder, 'labels')]
    .flatMap((place) => classLists.map((name) => join(place, name)))
    .find((path) => existsSync(path));
}

/**
 * The label folder of `images/train` is `labels/train`: the last `images` is replaced. Otherwise,
 * labels are next to images.
 */
function yoloLabelFolder(imageFolder: string): string {
  const parts = imageFolder.split('/');
  const at = parts.lastIndexOf('images');
  if (at < 0) return imageFolder;
  const mirrored = parts.with(at, 'labels').join('/');
  return existsSync(mirrored) ? mirrored : imageFolder;
}

/** Reads the layout; the YAML parser is loaded only if needed. */
async function layoutAt(path: string, imageFolder: string | undefined): Promise<YoloLayout> {
  if (!/\.ya?ml$/i.test(path)) return classListLayout(path, imageFolder);
  const { readDataYaml } = await import('./yoloYaml.js');
  return readDataYaml(path, imageFolder);
}

/** The layout with `images` and `labels`, or one such pair in each of `train`, `val`, and `test`. */
async function classListLayout(root: string, imageFolder: string | undefined): Promise<YoloLayout> {
  const list = classListIn(root);
  if (list === undefined) {
    throw new DataError(`${shownPath(root)}: no data.yaml and no ${classLists[0]} with the class names`);
  }
  const folder = imageFolder ?? (existsSync(join(root, 'images')) ? join(root, 'images') : root);
  const { folders } = await folderContents(folder);
  const splits = folders.filter((name) => splitFromWord(name) !== undefined);
  const areSplits = splits.length > 0 && splits.length === folders.filter((name) => name !== 'labels').length;
  return {
    root: imageFolder ?? root,
    classes: await readClassList(list),
    parts: areSplits
      ? splits.map((name) => ({
          split: splitFromWord(name),
          images: imagesBelow(join(folder, name)),
          isListed: false,
        }))
      : [{ split: undefined, images: imagesBelow(folder), isListed: false }],
    splitOrigin: 'one folder per split',
    remarks: [],
  };
}
