// YOLO's data.yaml: the locations of each split's images, and the class names.

import { existsSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { parseDocument } from 'yaml';
import { z } from 'zod';
import { counted } from '../../../errors/counted.js';
import { DataError } from '../../../errors/dataError.js';
import { reasonOf } from '../../../errors/reasonOf.js';
import { shownPath } from '../../../files/shownPath.js';
import type { Remark, SplitName } from '../../dataset/dataset.js';
import { isImageFile } from '../../images/formats/imageFiles.js';
import { readText } from '../../tables/textFile.js';
import { imageNaming } from '../imageNames.js';
import { type ImageFolder, type ImagePart, imagesBelow, imagesListed } from './sidecars.js';
import { numberedClasses } from './yoloLabels.js';

/** The layout of a YOLO dataset. */
export interface YoloLayout {
  /** The folder that image names are relative to. */
  readonly root: string;
  readonly classes: ReadonlyMap<number, string>;
  readonly parts: readonly ImagePart[];
  readonly splitOrigin: string;
  readonly remarks: readonly Remark[];
}

const places = z.union([z.string().min(1), z.array(z.string().min(1)).min(1)]).nullish();
const className = z.union([z.string().min(1), z.number(), z.boolean()]).transform(String);

const dataYaml = z.object({
  path: z.string().nullish(),
  train: places,
  val: places,
  test: places,
  nc: z.int().positive().nullish(),
  names: z.union([z.array(className).min(1), z.record(z.string().regex(/^\d+$/), className)]),
});

type DataYaml = z.infer<typeof dataYaml>;

/**
 * Reads the layout from a data.yaml. Its paths are relative to `imageFolder`, else to its own `path` if that
 * exists, else to its folder.
 *
 * @example
 * (await readDataYaml('coco128.yaml')).classes.get(0) // 'person'
 */
export async function readDataYaml(path: string, imageFolder?: string): Promise<YoloLayout> {
  const file = shownPath(path);
  const data = checked(parsed(await readText(path, 4 << 20), file), file);
  const base = imageFolder === undefined ? baseOf(path, data) : resolve(imageFolder);
  const chosen: { split: SplitName; paths: string[] }[] = [];
  const remarks: Remark[] = [];
  for (const [split, key] of [
    ['train', 'train'],
    ['validation', 'val'],
    ['test', 'test'],
  ] as const) {
    const given = data[key];
    if (given === undefined || given === null) continue;
    const paths = [given].flat().map((entry) => placeOf(entry, base, `${file}: ${key}`));
    const twin = chosen.find((other) => other.paths.join('\n') === paths.join('\n'));
    if (twin === undefined) chosen.push({ split, paths });
    else remarks.push(sameImages(twin.split, split));
  }
  if (chosen.length === 0) throw new DataError(`${file}: no train, val, or test; expected folders of images`);
  const root = commonFolder([base, ...chosen.flatMap(({ paths }) => paths.map(folderOf))]);
  return {
    root,
    classes: classesOf(data, file),
    parts: chosen.map(
      ({ split, paths }): ImagePart => ({
        // If two splits have the same images, there are no usable splits.
        split: remarks.length > 0 ? undefined : split,
        images: imagesAt(paths, base, root),
        isListed: paths.some((place) => !isFolder(place)),
      }),
    ),
    splitOrigin: `the splits of ${file}`,
    remarks,
  };
}

function parsed(text: string, file: string): unknown {
  const document = parseDocument(text, { prettyErrors: true });
  const [error] = document.errors;
  if (error) {
    const line = error.linePos?.[0].line;
    throw new DataError(
      `${file}${line === undefined ? '' : `, line ${line}`}: not valid YAML: ${reasonOf(error).split(';')[0]}`,
    );
  }
  try {
    return document.toJS();
  } catch (thrown) {
    throw new DataError(`${file}: not valid YAML: ${reasonOf(thrown)}`);
  }
}

function checked(value: unknown, file: string): DataYaml {
  const result = dataYaml.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const field = issue?.path.join('.') || 'the file';
  const expected =
    issue?.path[0] === 'names' ? 'expected a list of class names, or numbers with names' : issue?.message;
  throw new DataError(`${file}: ${field}: ${expected}`);
}

function classesOf({ names, nc }: DataYaml, file: string): Map<number, string> {
  const entries = Object.entries(names).map(([number, name]) => [Number(number), name.trim()] as const);
  if (nc !== undefined && nc !== null && nc !== entries.length) {
    throw new DataError(
      `${file}: nc is ${nc}, but names has ${counted(entries.length, 'class')}; correct one of them`,
    );
  }
  return numberedClasses(entries, file);
}

function baseOf(path: string, { path: given }: DataYaml): string {
  const own = resolve(dirname(path));
  if (given === undefined || given === null || given === '') return own;
  const named = resolve(own, given);
  return existsSync(named) ? named : own;
}

/** Resolves a path. Roboflow writes `../train/images` for a folder next to the file. */
function placeOf(entry: string, base: string, where: string): string {
  const candidates = [resolve(base, entry), resolve(base, entry.replace(/^(\.\.\/)+/, ''))];
  const found = candidates.find((path) => existsSync(path));
  if (found !== undefined) return found;
  throw new DataError(
    `${where} is '${entry}', but '${shownPath(candidates[0]!)}' does not exist; set data.imageFolder to the folder that the path is relative to`,
    { setting: 'data.imageFolder=FOLDER' },
  );
}

/** The images in folders, and in lists with one path per line. */
async function* imagesAt(paths: readonly string[], base: string, root: string): AsyncGenerator<ImageFolder> {
  for (const path of paths) {
    if (isFolder(path)) yield* imagesBelow(path);
    else if (isImageFile(path)) yield* imagesListed([path]);
    else yield* imagesListed(await listedImages(path, base, root));
  }
}

async function listedImages(list: string, base: string, root: string): Promise<string[]> {
  const naming = imageNaming(root);
  const file = shownPath(list);
  const lines = (await readText(list, 1 << 28)).split(/\r?\n/);
  return lines.flatMap((line, i) => {
    if (line.trim() === '') return [];
    // Ultralytics: a path with ./ is relative to the list, any other to the dataset.
    const from = line.startsWith('./') ? dirname(list) : base;
    const name = naming(resolve(from, line.trim()), () => `${file}, line ${i + 1}`);
    if (!isImageFile(name)) throw new DataError(`${file}, line ${i + 1}: '${line}' is not an image`);
    return [join(root, name)];
  });
}

function sameImages(first: SplitName, second: SplitName): Remark {
  const text = `splits (${first} and ${second}) have the same images, so the model would be tested on what it was trained on: splits are drawn instead`;
  return { text, count: 2, examples: [] };
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

function folderOf(path: string): string {
  return isFolder(path) ? path : dirname(path);
}

/** The innermost folder that contains all of these. */
function commonFolder(folders: readonly string[]): string {
  const [first = '', ...rest] = folders.map((folder) => folder.split('/'));
  if (first === '') return '/';
  const differing = first.findIndex((part, i) => rest.some((other) => other[i] !== part));
  return (differing < 0 ? first : first.slice(0, differing)).join('/') || '/';
}
