// Reads what a user names on the command line (files, folders, globs, Parquet, a list) as a stream of images.

import { type Dirent, existsSync, realpathSync, statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileProblem } from '@anyclass/files';
import { knownDataset } from '../data/datasetSpec.js';
import { holdsImage } from '../data/images/formats/imageFiles.js';
import { readImageFile } from '../data/images/storage/imageFile.js';
import { fromStorage } from '../data/images/storage/storage.js';
import { DataError } from '../errors/dataError.js';
import { globMatcher } from '../files/glob.js';
import { type ImageInput, unreadable } from './imageInput.js';
import { parquetRows } from './parquetInputs.js';

/**
 * Yields the images behind paths, one after another. A path is a file, a folder with everything below it, a
 * pattern with `*`, `?` or `**`, a Parquet file of images, `NAME=DIR` for the test split of a known dataset, or
 * `-` for a list of paths on standard input, one per line. What cannot be read, such as a folder or a damaged Parquet file, becomes an input whose `read`
 * fails with the reason; the others follow.
 *
 * @param signal stops the wait for a list on standard input when aborted
 * @param onSkipped called for files in a folder that are not images
 *
 * @example
 * for await (const { name } of imageInputs(['photos', 'more/*.jpg'])) console.log(name);
 */
export async function* imageInputs(
  paths: Iterable<string> | AsyncIterable<string>,
  list: NodeJS.ReadableStream = process.stdin,
  signal?: AbortSignal,
  onSkipped: (path: string) => void = () => {},
): AsyncGenerator<ImageInput> {
  for await (const path of paths) {
    if (path !== '-') yield* inputsAt(path, onSkipped);
    else for await (const listed of listedPaths(list, signal)) yield* inputsAt(listed, onSkipped);
  }
}

/** The paths on standard input, one per line. */
export async function* listedPaths(
  list: NodeJS.ReadableStream,
  signal?: AbortSignal,
): AsyncGenerator<string> {
  const options = { input: list, crlfDelay: Number.POSITIVE_INFINITY, ...(signal && { signal }) };
  for await (const line of createInterface(options)) {
    if (line.trim() !== '') yield line.trim();
  }
}

async function* inputsAt(path: string, onSkipped: (path: string) => void): AsyncGenerator<ImageInput> {
  if (knownDataset(path)) yield* testImages(path);
  else if (!existsSync(path) && /[*?]/.test(path)) yield* matchingFiles(path);
  else if (isFolder(path)) yield* imagesBelow(path, onSkipped);
  else yield* imagesIn(path);
}

/** The images of a known dataset's test split, which may have no labels. */
async function* testImages(spec: string): AsyncGenerator<ImageInput> {
  const { openDataset } = await import('../data/openDataset.js');
  const { names, images, splits } = await openDataset(spec);
  if (splits.test.length === 0)
    throw new DataError(`${spec} has no test split; give the folder of its images instead`);
  // Their images are files, which are opened one by one: there is nothing to close when the last is read.
  for (const row of splits.test)
    yield { name: names.at(row), path: images.path?.(row), read: () => images.read(row) };
}

async function* imagesBelow(folder: string, onSkipped: (path: string) => void): AsyncGenerator<ImageInput> {
  for await (const found of filesBelow(folder)) {
    if (typeof found !== 'string') yield found;
    // A table of labels may lie next to its images.
    else if (isParquet(found)) yield* parquetRows(found, { withoutImages: 'skip' });
    else if (holdsImage(dirname(found), basename(found))) yield fileInput(found, true);
    else onSkipped(found);
  }
}

async function* matchingFiles(pattern: string): AsyncGenerator<ImageInput> {
  const parts = join(pattern).split('/');
  const fixed = parts.slice(
    0,
    parts.findIndex((part) => /[*?]/.test(part)),
  );
  const root = fixed.join('/') || (pattern.startsWith('/') ? '/' : '.');
  const matches = globMatcher(join(pattern));
  let isFound = false;
  if (existsSync(root)) {
    for await (const found of filesBelow(root, (folder) => mayHoldMatches(folder, parts))) {
      if (typeof found === 'string' && !matches(found)) continue;
      isFound = true;
      if (typeof found === 'string') yield* imagesIn(found);
      else yield found;
    }
  }
  if (!isFound) yield unreadable(pattern, 'no file matches');
}

function imagesIn(path: string): AsyncGenerator<ImageInput> | [ImageInput] {
  return isParquet(path) ? parquetRows(path, { withoutImages: 'tell' }) : [fileInput(path)];
}

/**
 * An image file. If it does not exist now, reading fails; if its storage goes away later, reading waits.
 *
 * @example
 * fileInput('photos/a.jpg').name // 'photos/a.jpg'
 */
export function fileInput(path: string, isThere = existsSync(path)): ImageInput {
  if (!isThere)
    return unreadable(
      path,
      path.includes('\ufffd') ? 'its name is not valid UTF-8; rename the file' : 'no such file',
    );
  return {
    name: path,
    path,
    read: async () => ({
      kind: 'encoded',
      bytes: await fromStorage(path, dirname(path), () => readImageFile(path)),
    }),
  };
}

function isParquet(path: string): boolean {
  return extname(path).toLowerCase() === '.parquet';
}

/** True for a folder or a link to one; false if nothing is there. */
function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

/**
 * Yields paths of files sorted by name, folder by folder, and inputs for folders that cannot be read. Links
 * to folders are followed, except a link to a folder that contains it, which would never end.
 */
async function* filesBelow(
  folder: string,
  isEntered: (folder: string) => boolean = () => true,
  above: readonly string[] = [],
): AsyncGenerator<string | ImageInput> {
  let place: string;
  let entries: Dirent[];
  try {
    place = realpathSync(folder);
    entries = await readdir(folder, { withFileTypes: true });
  } catch (error) {
    yield unreadable(folder, `this folder cannot be read: ${fileProblem(error)}`);
    return;
  }
  if (above.includes(place)) return;
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(folder, entry.name);
    if (!entry.isDirectory() && !(entry.isSymbolicLink() && isFolder(path))) yield path;
    else if (isEntered(path)) yield* filesBelow(path, isEntered, [...above, place]);
  }
}

/** Whether files below a folder may match a pattern, given as its parts. */
function mayHoldMatches(folder: string, pattern: readonly string[]): boolean {
  for (const [i, name] of folder.split('/').entries()) {
    const part = pattern[i] ?? '';
    if (part.includes('**')) return true;
    if (i >= pattern.length - 1 || !globMatcher(part)(name)) return false;
  }
  return true;
}
