import { readFile as readFileWithCallback } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { DataError } from '../../errors/dataError.js';
import { shownPath } from '../../files/shownPath.js';
import type { NameTable } from '../nameTable.js';
import type { ImageSource } from './imageSource.js';

// Cheaper than the one in node:fs/promises, which makes an object of every open file.
const readFile = promisify(readFileWithCallback);

/**
 * Images in files: row r is `folderOf(r)` + its name. Names were checked when the table was read: none leads out of
 * the folder.
 *
 * @example
 * const images = fileImages(names, () => 'data/sewer/train');
 * (await images.read(0)).kind // 'encoded'
 */
export function fileImages(names: NameTable, folderOf: (row: number) => string): ImageSource {
  const path = (row: number) => join(folderOf(row), names.at(row));
  return {
    path,
    async read(row) {
      try {
        return { kind: 'encoded', bytes: await readFile(path(row)) };
      } catch (error) {
        throw unreadable(error, path(row));
      }
    },
    async fingerprint(row) {
      try {
        const { size, mtimeMs } = await stat(path(row));
        return `${size} ${mtimeMs}`;
      } catch (error) {
        throw unreadable(error, path(row));
      }
    },
    close: async () => {},
  };
}

/**
 * The folder of each row where tables were read one after another.
 *
 * @example
 * folderByRow([{ firstRow: 0, folder: 'train' }, { firstRow: 900, folder: 'val' }])(950) // 'val'
 */
export function folderByRow(
  parts: readonly { readonly firstRow: number; readonly folder: string }[],
): (row: number) => string {
  return (row) => parts.findLast((part) => part.firstRow <= row)!.folder;
}

function unreadable(error: unknown, path: string): DataError {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code === 'ENOENT' || code === 'ENOTDIR') return new DataError(`missing: ${shownPath(path)}`);
  return new DataError(`cannot read ${path}: ${code === '' ? String(error) : code}`);
}
