// The folders that Studio shows. Nothing outside of them is read, whatever a link, a name or a configuration says.

import { lstatSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { UserError } from '../errors/userError.js';
import { unusualKind } from '../files/fileKind.js';

export interface Folder {
  /** As the user gave it. */
  readonly given: string;
  /** Its real path: links resolved. */
  readonly path: string;
  /** The first part of the ids of what it holds; empty if it is the only folder. */
  readonly name: string;
}

/**
 * Opens the folders that a user names.
 *
 * @throws UserError if one does not exist
 *
 * @example
 * openFolders(['runs', '/data/tiles'])[1]?.name // 'tiles'
 */
export function openFolders(given: readonly string[]): Folder[] {
  const paths = given.map((folder) => {
    const found = statSync(folder, { throwIfNoEntry: false });
    if (!found) throw new UserError(`${folder}: no such folder`);
    if (!found.isDirectory()) throw new UserError(`${folder} is a file; expected a folder with runs`);
    return realpathSync(folder);
  });
  const distinct = paths.filter((path, i) => paths.indexOf(path) === i);
  return distinct.map((path, i) => {
    const name = basename(path);
    const before = distinct.slice(0, i).filter((other) => basename(other) === name).length;
    return {
      given: given[paths.indexOf(path)]!,
      path,
      name: distinct.length === 1 ? '' : before === 0 ? name : `${name}-${before + 1}`,
    };
  });
}

/** The id of a path in a folder: the folder's name, if there are several, and the path below it, with slashes. */
export function idOf({ name, path }: Folder, below: string): string {
  const inner = relative(path, below).split(sep).join('/');
  return [name, inner].filter((part) => part !== '').join('/') || '.';
}

/**
 * Returns the real path of a file if it is below one of the folders; undefined if it is not, or does not exist.
 *
 * @example
 * realBelow(folders, 'runs/a/scores/validation.csv')
 */
export function realBelow(folders: readonly Folder[], path: string): string | undefined {
  try {
    const real = realpathSync(resolve(path));
    return folders.some(({ path: root }) => isBelow(root, real)) ? real : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Refuses a file that a link leads out of the folders to, and one that is a pipe or a device, which would be waited for. Of a path that
 * does not exist yet, the folders above it are checked.
 *
 * @throws UserError
 *
 * @example
 * refuseUnusual(folders, 'runs/corrections/pipes.csv')
 */
export function refuseUnusual(folders: readonly Folder[], path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) {
    if (dirname(path) !== path) refuseUnusual(folders, dirname(path));
    return;
  }
  const real = realBelow(folders, path);
  if (real === undefined)
    throw new UserError(`${path} is outside of the folders of Studio, or a link that leads nowhere`);
  const kind = unusualKind(statSync(real));
  if (kind !== undefined) throw new UserError(`${path} is ${kind}; expected a file or a folder`);
}

function isBelow(root: string, path: string): boolean {
  return path === root || path.startsWith(root.endsWith(sep) ? root : root + sep);
}

/** Where Studio puts runs that are archived or deleted, in the folder that has them. */
export const archiveFolder = '.archive';
export const trashFolder = '.trash';

/** Returns the place of a run in the archive or the trash. */
export function placeIn(root: string, kind: typeof archiveFolder | typeof trashFolder, path: string): string {
  return join(root, kind, relative(root, path));
}
