// Which group an image belongs to: by a folder in its path, or by a table.

import { basename, dirname, extname } from 'node:path';
import { readCsv } from '../data/tables/csv.js';
import { DataError } from '../errors/dataError.js';
import { UserError } from '../errors/userError.js';
import { parquetColumn } from './parquetInputs.js';

/** Returns the group of an image by its name. @throws UserError if it has none */
export type GroupOf = (name: string) => string;

/**
 * Groups by folder: level 1 is the folder that holds the image, 2 the one above it.
 *
 * @example
 * groupsByFolder(1)('photos/pipe 7/0001.jpg') // 'pipe 7'
 */
export function groupsByFolder(level: number): GroupOf {
  return (name) => {
    let folder = dirname(name);
    for (let above = 1; above < level; above++) folder = dirname(folder);
    const group = basename(folder);
    if (group === '' || group === '.' || group === '..')
      throw new UserError(`${name} has no folder at level ${level} above it to name its group`);
    return group;
  };
}

/**
 * Reads groups from a column of a table, by file name; images are also found without their folders if no other image of the
 * table has the same name.
 *
 * @example
 * (await groupsByTable('labels.csv', 'patient'))('photos/0001.png') // 'p17'
 */
export async function groupsByTable(path: string, column: string): Promise<GroupOf> {
  const groups = new Map<string, string>();
  const byBase = new Map<string, string | undefined>();
  const add = (name: string, group: string, where: () => string) => {
    if (group.trim() === '')
      throw new DataError(`${path}, ${where()}: group '${column}' is empty; expected the group of the row`);
    groups.set(name, group.trim());
    const base = basename(name);
    byBase.set(base, byBase.has(base) && byBase.get(base) !== group.trim() ? undefined : group.trim());
  };
  if (extname(path).toLowerCase() === '.parquet') {
    for await (const [name, group] of parquetColumn(path, column)) add(name, group, () => name);
  } else await readCsv(path, headerReader(path, column, add), path);
  return (name) => {
    const group = groups.get(name) ?? byBase.get(basename(name));
    if (group !== undefined) return group;
    throw new UserError(`${path} has no group for ${name}`);
  };
}

function headerReader(
  path: string,
  column: string,
  add: (name: string, group: string, where: () => string) => void,
) {
  return (columns: readonly string[]) => {
    const groupAt = columns.indexOf(column);
    if (groupAt < 0)
      throw new DataError(`${path}: no column '${column}' with groups; it has ${columns.join(', ')}`);
    // The column of file names, or the first one.
    const named = columns.findIndex((name) => /^(file_?name|image|image_?index|path|name)$/i.test(name));
    const nameAt = named >= 0 ? named : groupAt === 0 ? 1 : 0;
    return (cells: readonly string[], line: number) =>
      add(cells[nameAt] ?? '', cells[groupAt]!, () => `line ${line}`);
  };
}
