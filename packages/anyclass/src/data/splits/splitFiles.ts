import { existsSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DataError } from '../../errors/dataError.js';
import { checkInputFile } from '../../files/inputs.js';
import { shownPath } from '../../files/shownPath.js';
import { writeWhole } from '../../files/wholeFile.js';
import { type SplitName, type Splits, splitNames } from '../dataset/dataset.js';
import type { NameTable } from '../dataset/nameTable.js';

/**
 * Saves splits as plain text: `train.txt`, `validation.txt`, and `test.txt`, one name per line; `decision.txt` if there are such rows.
 *
 * @example
 * await saveSplits(dataset.splits, dataset.names, 'splits') // splits/train.txt: 00000001.png…
 */
export async function saveSplits(
  splits: Omit<Splits, 'decision'> & Partial<Splits>,
  names: NameTable,
  folder: string,
): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const split of splitNames) {
    const path = join(folder, `${split}.txt`);
    const rows = splits[split] ?? [];
    if (split === 'decision' && rows.length === 0 && !existsSync(path)) continue;
    const lines = Array.from(rows, (row) => `${names.at(row)}\n`);
    writeWhole(path, lines.join(''));
  }
}

/**
 * Loads splits from text files, one name per line; a missing file means an empty split. A name that the
 * dataset does not have, or that appears twice, is an error; rows that no file names are in no split.
 *
 * @example
 * const splits = await loadSplits('splits', dataset.names);
 */
export async function loadSplits(folder: string, names: NameTable): Promise<Splits> {
  const rowsOf = new Map<string, number>();
  for (let row = 0; row < names.length; row++) {
    const name = names.at(row);
    if (rowsOf.has(name)) {
      throw new DataError(
        `two rows of the dataset are called '${name}', so splits cannot refer to them by name; give each its own name`,
      );
    }
    rowsOf.set(name, row);
  }
  if (!splitNames.some((split) => existsSync(join(folder, `${split}.txt`)))) {
    throw new DataError(`${shownPath(folder)}: no train.txt, validation.txt, or test.txt in this folder`);
  }
  const usedBy = new Map<number, string>();
  const load = async (split: SplitName) => {
    const path = join(folder, `${split}.txt`);
    if (!existsSync(path)) return new Int32Array(0);
    checkInputFile(path);
    const lines = (await readFile(path, 'utf8')).split(/\r?\n/);
    const rows = lines.flatMap((line, i) => {
      if (line === '') return [];
      const where = `${split}.txt, line ${i + 1}`;
      const row = rowsOf.get(line);
      if (row === undefined) throw new DataError(`${where}: the dataset has no image '${line}'`);
      const before = usedBy.get(row);
      if (before !== undefined) throw new DataError(`${where}: '${line}' is already in ${before}`);
      usedBy.set(row, where);
      return [row];
    });
    return Int32Array.from(rows);
  };
  return {
    train: await load('train'),
    validation: await load('validation'),
    test: await load('test'),
    decision: await load('decision'),
  };
}
