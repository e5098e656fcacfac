import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { ImageSource } from '../../dataset/imageSource.js';
import type { NameTable } from '../../dataset/nameTable.js';
import { readImageFile } from './imageFile.js';
import { fromStorage } from './storage.js';

/**
 * Images in files: the path of row r is its name within `folderOf(r)`. Names were checked when the table was
 * read, so none leads out of the folder.
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
      const file = path(row);
      return { kind: 'encoded', bytes: await fromStorage(file, folderOf(row), () => readImageFile(file)) };
    },
    async fingerprint(row, options) {
      const file = path(row);
      const { size, mtimeMs } = await fromStorage(file, folderOf(row), () => stat(file), {
        wait: options?.wait ?? false,
      });
      return `${size} ${mtimeMs}`;
    },
    close: async () => {},
  };
}

/**
 * Returns the folder of each row, for tables that were read one after another.
 *
 * @example
 * folderByRow([{ firstRow: 0, folder: 'train' }, { firstRow: 900, folder: 'val' }])(950) // 'val'
 */
export function folderByRow(
  parts: readonly { readonly firstRow: number; readonly folder: string }[],
): (row: number) => string {
  return (row) => parts.findLast((part) => part.firstRow <= row)!.folder;
}
