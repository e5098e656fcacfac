import { realpathSync, statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileProblem } from '@anyclass/files';
import { DataError } from '../../../errors/dataError.js';
import { shownPath } from '../../../files/shownPath.js';

/** The contents of one folder, sorted by name. */
export interface FolderContents {
  /** The folder's path relative to the start of the walk; '' for the start itself. */
  readonly below: string;
  readonly files: readonly string[];
  readonly folders: readonly string[];
}

/**
 * Walks a folder and its subfolders, one at a time. Links to folders are followed, except to a folder that
 * contains the link. Hidden files, and those that macOS adds to archives, are skipped.
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

/** The files and folders directly in a folder, sorted by name. */
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
