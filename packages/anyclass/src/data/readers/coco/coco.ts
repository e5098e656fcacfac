import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { DataError } from '../../../errors/dataError.js';
import { nearestOrAll } from '../../../errors/nearest.js';
import type { DatasetTable, SplitName } from '../../dataset/dataset.js';
import { labelMatrixBuilder } from '../../dataset/labelMatrix.js';
import { nameTableBuilder } from '../../dataset/nameTable.js';
import { growingFloat32, growingInt32 } from '../../dataset/typedArrays.js';
import { fileImages, folderByRow } from '../../images/storage/fileImages.js';
import { imageNaming } from '../imageNames.js';
import { nameOfTables } from '../labelTables/csvTables.js';
import { splitFromFileName } from '../splitWords.js';
import { type Annotations, boxIn, imageSizeIn, objectsOf } from './cocoObjects.js';
import { readJsonArrays } from './jsonArrays.js';

/** A COCO table, with what its split is stratified by. */
export interface CocoTable extends DatasetTable {
  /**
   * The category of each image's first annotation in file order, as an index into the
   * classes; -1 without annotations.
   */
  readonly firstClass: Int32Array;
}

export interface CocoOptions {
  /** The classes to keep, in this order. Default: all categories by ID. */
  readonly classes?: readonly string[];
  /**
   * Folder with the images of all files. Default: `images`, the split's name (`train2017`),
   * or the file's own folder.
   */
  readonly imageFolder?: string;
  /** Folder with one subfolder of images per split (`train2017`), or with all images. */
  readonly imageRoot?: string;
}

interface Category {
  readonly id: number;
  readonly name: string;
  readonly family: string;
}

/**
 * Reads a dataset from COCO instances files. A class is present if the image has an annotation of it; an
 * image without any is negative. Several files are concatenated (train2017, then val2017).
 *
 * @example
 * await readCoco(['annotations/instances_val2017.json'], { classes: ['cat', 'dog'] })
 */
export async function readCoco(paths: readonly string[], options: CocoOptions): Promise<CocoTable> {
  const names = nameTableBuilder();
  const parts: { firstRow: number; folder: string }[] = [];
  const annotations: Annotations[] = [];
  const sizes: { readonly width: number; readonly height: number }[] = [];
  const categories = new Map<number, Category>();
  for (const path of paths) {
    const file = basename(path);
    const firstRow = names.length;
    const folder = options.imageFolder ?? imageFolderOf(path, options.imageRoot);
    const naming = imageNaming(folder);
    const rowOf = new Map<number, number>();
    const imageIds = growingInt32();
    const categoryIds = growingInt32();
    const boxes = growingFloat32();
    const found = await readJsonArrays(path, {
      images(element, index) {
        const where = () => `${file}, images[${index}]`;
        const id = field(element, 'id', 'number', where);
        const name = naming(field(element, 'file_name', 'string', where), where);
        if (rowOf.has(id)) throw new DataError(`${where()}: image id ${id} appears twice`);
        rowOf.set(id, names.length);
        names.add(name);
        sizes.push(imageSizeIn(element));
      },
      annotations(element, index) {
        const where = () => `${file}, annotations[${index}]`;
        imageIds.push(field(element, 'image_id', 'number', where));
        categoryIds.push(field(element, 'category_id', 'number', where));
        for (const number of boxIn(element)) boxes.push(number);
      },
      categories(element, index) {
        const where = () => `${file}, categories[${index}]`;
        const id = field(element, 'id', 'number', where);
        const name = field(element, 'name', 'string', where);
        const known = categories.get(id);
        if (known && known.name !== name) {
          throw new DataError(
            `${where()}: category ${id} is '${name}', but '${known.name}' in an earlier file`,
          );
        }
        categories.set(id, { id, name, family: textField(element, 'supercategory') });
      },
    });
    for (const array of ['images', 'annotations', 'categories']) {
      if (!found.has(array))
        throw new DataError(`${file}: no array '${array}'; is this a COCO instances file?`);
    }
    annotations.push({
      rows: resolved(
        imageIds.finish(),
        rowOf,
        (i, id) => `${file}, annotations[${i}]: no image has the id ${id}`,
      ),
      categories: resolved(
        categoryIds.finish(),
        new Map([...categories.keys()].map((id) => [id, id])),
        (i, id) => `${file}, annotations[${i}]: no category has the id ${id}`,
      ),
      boxes: boxes.finish(),
    });
    parts.push({ firstRow, folder });
  }
  if (names.length === 0) throw new DataError(`${basename(paths[0]!)}: the array 'images' is empty`);
  const table = cocoTable(names.finish(), categories, annotations, parts, paths, options);
  const objects = objectsOf(annotations, sizes, table.classOf);
  return { ...table.table, ...(objects && { objects }) };
}

function cocoTable(
  names: ReturnType<ReturnType<typeof nameTableBuilder>['finish']>,
  categories: ReadonlyMap<number, Category>,
  annotations: readonly Annotations[],
  parts: readonly { firstRow: number; folder: string }[],
  paths: readonly string[],
  options: CocoOptions,
): { readonly table: CocoTable; readonly classOf: ReadonlyMap<number, number> } {
  const byId = [...categories.values()].sort((a, b) => a.id - b.id);
  const classes = options.classes ?? byId.map((category) => category.name);
  const classOf = new Map<number, number>();
  classes.forEach((name, index) => {
    const category = byId.find((candidate) => candidate.name === name);
    if (!category) {
      const all = byId.map((candidate) => candidate.name);
      throw new DataError(
        `${basename(paths[0]!)}: no category '${name}'; ${nearestOrAll(name, all, 'the categories are')}`,
      );
    }
    classOf.set(category.id, index);
  });

  // An image's annotations may be anywhere in the file, so they are collected by row first.
  const firstClass = new Int32Array(names.length).fill(-1);
  const present = new Uint8Array(names.length * classes.length);
  const annotationCounts = new Array<number>(classes.length).fill(0);
  for (const { rows, categories: ids } of annotations) {
    rows.forEach((row, i) => {
      const index = classOf.get(ids[i]!);
      if (index === undefined) return;
      if (firstClass[row] === -1) firstClass[row] = index;
      annotationCounts[index] = annotationCounts[index]! + 1;
      present[row * classes.length + index] = 1;
    });
  }
  const labels = labelMatrixBuilder(classes.length);
  for (let row = 0; row < names.length; row++) {
    labels.addRow();
    for (let j = 0; j < classes.length; j++) if (present[row * classes.length + j] === 1) labels.set(j);
  }
  const kept = byId.filter((category) => classOf.has(category.id));
  const familyNames = new Set(kept.map(({ family }) => family).filter((name) => name !== ''));
  const families = [...familyNames].map((name) => ({
    name,
    classes: kept.filter((category) => category.family === name).map((category) => category.name),
  }));
  const table = {
    name: nameOfTables(paths),
    classes,
    names,
    labels: labels.finish(),
    images: fileImages(names, folderByRow(parts)),
    firstClass,
    annotationCounts,
    classFamilies: families,
    remarks: [],
    ...splitsByFile(parts, paths, names.length),
  };
  return { table, classOf };
}

/** The splits, if all files are named after splits. */
function splitsByFile(
  parts: readonly { readonly firstRow: number }[],
  paths: readonly string[],
  rows: number,
): Pick<DatasetTable, 'fixedSplits'> {
  const splitOf = paths.map((path) => splitFromFileName(basename(path)));
  if (paths.length < 2 || splitOf.includes(undefined)) return {};
  const rowsOf = (wanted: SplitName) =>
    Int32Array.from(
      parts.flatMap(({ firstRow }, i) => {
        const end = parts[i + 1]?.firstRow ?? rows;
        return splitOf[i] === wanted ? Array.from({ length: end - firstRow }, (_, k) => firstRow + k) : [];
      }),
    );
  const splits = {
    train: rowsOf('train'),
    validation: rowsOf('validation'),
    test: rowsOf('test'),
    decision: rowsOf('decision'),
  };
  return { fixedSplits: { splits, origin: 'one file per split' } };
}

function resolved(
  ids: Int32Array,
  rowOf: ReadonlyMap<number, number>,
  missing: (i: number, id: number) => string,
) {
  return ids.map((id, i) => {
    const row = rowOf.get(id);
    if (row === undefined) throw new DataError(missing(i, id));
    return row;
  });
}

/**
 * The image folder of `annotations/instances_train2017.json`: `../train2017`,
 * `../images/train2017`, `../images`…
 */
function imageFolderOf(path: string, imageRoot: string | undefined): string {
  const own = dirname(path);
  const split = basename(path, '.json').replace(/^instances_/, '');
  const candidates =
    imageRoot === undefined
      ? [
          join(own, '..', split),
          join(own, '..', 'images', split),
          join(own, split),
          join(own, 'images'),
          ...(basename(own) === 'annotations' ? [join(own, '..', 'images')] : []),
        ]
      : [join(imageRoot, split)];
  return candidates.find((folder) => existsSync(folder)) ?? imageRoot ?? own;
}

function field(element: unknown, name: string, type: 'number', where: () => string): number;
function field(element: unknown, name: string, type: 'string', where: () => string): string;
function field(element: unknown, name: string, type: 'number' | 'string', where: () => string): unknown {
  const value: unknown =
    typeof element === 'object' && element !== null && Object.hasOwn(element, name)
      ? Object.getOwnPropertyDescriptor(element, name)?.value
      : undefined;
  const right =
    type === 'number' ? Number.isInteger(value) && Math.abs(Number(value)) < 2 ** 31 : typeof value === type;
  if (!right) {
    const kind = type === 'number' ? 'an integer' : 'a string';
    throw new DataError(`${where()}: '${name}' is ${JSON.stringify(value) ?? 'missing'}; expected ${kind}`);
  }
  return value;
}

function textField(element: unknown, name: string): string {
  const value: unknown =
    typeof element === 'object' && element !== null
      ? Object.getOwnPropertyDescriptor(element, name)?.value
      : '';
  return typeof value === 'string' ? value : '';
}
