import { realpathSync, statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { DataError } from '../../errors/dataError.js';
import { fileProblem } from '../../files/fileProblem.js';
import { shownPath } from '../../files/shownPath.js';

/** What is in one folder, by name. */
export interface FolderContents {
  /** The folder's path; '' for the one that the walk began in. */
  readonly below: string;
  readonly files: readonly string[];
  readonly folders: readonly string[];
}

/**
 * The contents of a folder and of all below it, one folder at a time. Links to folders are followed, except to one that the link
 * is in. Hidden files and what a Mac adds to archives are skipped.
 *
 * @example
 * for await (const { below, files } of walkFolder('photos')) console.log(below, files.length);
 */
export async function* walkFolder(
  root: string,
  below = '',
  above: readonly string[] = [],
): AsyncGenerator<FolderContents> {
  const folder = join(root, below);
  const place = realpathSync(folder);
  if (above.includes(place)) return;
  const contents = await folderContents(folder);
  yield { ...contents, below };
  for (const name of contents.folders) yield* walkFolder(root, join(below, name), [...above, place]);
}

/** Files and folders right in a folder, by name. */
export async function folderContents(folder: string): Promise<Omit<FolderContents, 'below'>> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: unknown) => {
    throw new DataError(`${shownPath(folder)}: this folder cannot be read: ${fileProblem(error)}`);
  });
  const files: string[] = [];
  const folders: string[] = [];
  for (const entry of entries) {
    if (entry.name.startsWith('.') || entry.name === '__MACOSX') continue;
    const isFolder =
      entry.isDirectory() || (entry.isSymbolicLink() && leadsToFolder(join(folder, entry.name)));
    (isFolder ? folders : files).push(entry.name);
  }
  return { files: files.sort(), folders: folders.sort() };
}

function leadsToFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
