import { isAbsolute, relative, resolve } from 'node:path';
import { DataError } from '../../errors/dataError.js';
import { shownPath } from '../../files/shownPath.js';

/** Checks an image's name in a table and returns the one to keep. `where` is called only for an error. */
export type ImageNaming = (name: string, where: () => string) => string;

/**
 * Checks the names of images below a folder: relative ones are kept, absolute ones lose the folder.
 * None may lead out of it.
 *
 * @example
 * const naming = imageNaming('/data/pipes');
 * naming('/data/pipes/1/a.png', () => 'train.csv, line 2') // '1/a.png'
 * naming('../a.png', () => 'train.csv, line 3') // throws
 */
export function imageNaming(folder: string): ImageNaming {
  const base = resolve(folder);
  return (name, where) => {
    if (name === '') throw new DataError(`${where()}: the image name is empty`);
    if (name.includes('\0')) throw new DataError(`${where()}: image '${name}' contains a zero byte`);
    if (name.includes('..') && name.split(/[\\/]/).includes('..')) {
      throw new DataError(`${where()}: image '${name}' is outside the image folder; '..' is not allowed`);
    }
    if (/^[a-zA-Z]:[\\/]/.test(name)) throw elsewhere(name, folder, where);
    if (name.includes('\\')) {
      throw new DataError(`${where()}: image '${name}' contains a backslash; use / between folders`);
    }
    if (!isAbsolute(name)) return name;
    const below = relative(base, name);
    if (below === '' || below === '..' || below.startsWith('../')) throw elsewhere(name, folder, where);
    return below;
  };
}

/** Checks the names of images inside the table: they name rows, not files. */
export const rowNaming: ImageNaming = (name, where) => {
  if (name === '') throw new DataError(`${where()}: the image name is empty`);
  return name;
};

function elsewhere(name: string, folder: string, where: () => string): DataError {
  return new DataError(
    `${where()}: image '${name}' is not a path below the image folder '${shownPath(folder)}'; set data.imageFolder to a folder above the images`,
    { setting: 'data.imageFolder=FOLDER' },
  );
}
