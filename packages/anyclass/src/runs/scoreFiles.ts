// Scores and labels as CSV: `Filename` and a column per class, with values from 0 to 1 (empty for unknown).

import { existsSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { type Scored, scoredByName } from '@anyclass/core';
import { readCsv } from '../data/tables/csv.js';
import { DataError } from '../errors/dataError.js';
import { UserError } from '../errors/userError.js';
import { writeWhole } from '../files/wholeFile.js';
import type { NamedTable } from './namedTable.js';
import { readPlainTable } from './plainTable.js';
import { checksumText, verifyScoreFile } from './scoreChecksums.js';

export interface TableToWrite {
  readonly names: Iterable<string>;
  readonly classNames: readonly string[];
  readonly values: ArrayLike<number>;
}

/**
 * Writes a table. Numbers are written with all their digits, so that reading them back gives the same values.
 *
 * @returns its checksum, for `writeScoreChecksums`
 *
 * @example
 * writeTable('scores.csv', { names: ['a.png'], classNames: ['crack'], values: [0.25] }) // writes Filename,crack\na.png,0.25
 */
export function writeTable(path: string, table: TableToWrite): string {
  let checksum = 0;
  function* counted(): Generator<string> {
    for (const text of tableText(table)) {
      checksum = crc32(text, checksum);
      yield text;
    }
  }
  writeWhole(path, counted());
  return checksumText(checksum);
}

function* tableText({ names, classNames, values }: TableToWrite): Generator<string> {
  yield `${['Filename', ...classNames].map(csvCell).join(',')}\n`;
  let lines: string[] = [];
  let at = 0;
  for (const name of names) {
    const cells = classNames.map((_, j) => numberCell(values[at + j]!));
    at += classNames.length;
    lines.push(`${csvCell(name)},${cells.join(',')}\n`);
    if (lines.length < 1000) continue;
    yield lines.join('');
    lines = [];
  }
  yield lines.join('');
}

/**
 * Reads a table of probabilities or labels. Errors name the full path, because many runs have a `test.csv`.
 *
 * @example
 * (await readTable('scores.csv')).classNames // ['crack', 'roots']
 */
export async function readTable(path: string): Promise<NamedTable> {
  if (!existsSync(path)) throw new UserError(`${path}: no such file`);
  verifyScoreFile(path);
  const plain = readPlainTable(path);
  return plain ? { ...plain, path } : await readAnyTable(path);
}

async function readAnyTable(path: string): Promise<NamedTable> {
  const names: string[] = [];
  const values: number[] = [];
  const lines: number[] = [];
  let classNames: readonly string[] = [];
  const readHeader = (columns: readonly string[]) => {
    const nameAt = columns.findIndex((column) => column.toLowerCase() === 'filename');
    if (nameAt < 0) throw new DataError(`${path}: no column 'Filename'`);
    // `predict` adds the column `labels` for people to read.
    const classAt = columns.flatMap((column, i) => (i === nameAt || column === 'labels' ? [] : [i]));
    classNames = classAt.map((i) => columns[i]!);
    return (cells: readonly string[], line: number) => {
      names.push(cells[nameAt]!);
      lines.push(line);
      for (const i of classAt)
        values.push(readNumber(cells[i]!, `${path}, line ${line}: class '${columns[i]}'`));
    };
  };
  await readCsv(path, readHeader, path);
  if (names.length === 0) throw new UserError(`${path}: has a header but no rows`);
  return { names, classNames, values: Float64Array.from(values), path, lines };
}

/**
 * Joins scores and labels by file name. The classes are those of the labels; scores of other classes are left
 * out. Throws for a value that is not a probability or a label, and names its place.
 *
 * @example
 * const scored = joinTables(await readTable('scores.csv'), await readTable('labels.csv'));
 */
export function joinTables(scores: NamedTable, labels: NamedTable, split?: string): Scored {
  const missing = labels.classNames.filter((name) => !scores.classNames.includes(name));
  if (missing.length > 0) {
    throw new UserError(
      `${scores.path ?? 'the score table'}: lacks the ${missing.length === 1 ? 'class' : 'classes'} ${missing.join(', ')}; it has ${scores.classNames.join(', ')}`,
    );
  }
  checkCells(scores, labels.classNames, isProbability, 'a probability from 0 to 1');
  checkCells(labels, labels.classNames, isLabel, '0 to 1 (or empty for unknown)');
  const chosen = labels.classNames.map((name) => scores.classNames.indexOf(name));
  const width = scores.classNames.length;
  const values = new Float64Array(scores.names.length * chosen.length);
  for (let row = 0; row < scores.names.length; row++) {
    chosen.forEach((column, j) => {
      values[row * chosen.length + j] = scores.values[row * width + column]!;
    });
  }
  try {
    const scored = scoredByName(
      { names: scores.names, scores: values },
      { names: labels.names, targets: labels.values },
      labels.classNames,
    );
    return split === undefined ? scored : { ...scored, split };
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    const [first, second] = [scores.path ?? 'the scores', labels.path ?? 'the labels'];
    throw new UserError(`${first} and ${second} do not match: ${error.message}`);
  }
}

function isProbability(value: number): boolean {
  return value >= 0 && value <= 1;
}

function isLabel(value: number): boolean {
  return (value >= 0 && value <= 1) || Number.isNaN(value);
}

/** Throws for the first unexpected value in the columns of some classes. */
function checkCells(
  table: NamedTable,
  checked: readonly string[],
  isRight: (value: number) => boolean,
  expected: string,
): void {
  const { names, classNames, values, path, lines } = table;
  const columns = checked.map((name) => classNames.indexOf(name));
  for (let row = 0; row < names.length; row++) {
    for (const column of columns) {
      const value = values[row * classNames.length + column]!;
      if (isRight(value)) continue;
      // The header is line 1.
      const place = path === undefined ? names[row] : `${path}, line ${lines?.[row] ?? row + 2}`;
      const told = Number.isNaN(value) ? 'is empty' : `holds ${value}`;
      throw new UserError(`${place}: class '${classNames[column]}' ${told}; expected ${expected}`);
    }
  }
}

/** Formats a text as one CSV cell. */
export function csvCell(text: string): string {
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function numberCell(value: number): string {
  return Number.isNaN(value) ? '' : String(value);
}

function readNumber(text: string, where: string): number {
  if (text.trim() === '') return Number.NaN;
  const value = Number(text);
  if (Number.isNaN(value))
    throw new DataError(`${where} holds '${text}'; expected a number (or empty for unknown)`);
  return value;
}
