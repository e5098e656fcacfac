// Scores and labels as CSV: `Filename` and a column per class, with values from 0 to 1 (empty for unknown).
// Tables of labels may have a column with the group of each row.

import { closeSync, existsSync, openSync, readSync } from 'node:fs';
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
  /** The group of each row; written as the second column, {@link groupColumnOf}. */
  readonly groups?: readonly string[] | undefined;
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
  return writeCounted(path, tableText(table));
}

/** Writes the parts of a text; returns its checksum. */
export function writeCounted(path: string, parts: Iterable<string>): string {
  let checksum = 0;
  function* counted(): Generator<string> {
    for (const text of parts) {
      checksum = crc32(text, checksum);
      yield text;
    }
  }
  writeWhole(path, counted());
  return checksumText(checksum);
}

/** Whether a table has a column of this name. */
export function hasColumn(path: string, column: string): boolean {
  const start = Buffer.alloc(1 << 20);
  const file = openSync(path, 'r');
  try {
    const [header = ''] = start.toString('utf8', 0, readSync(file, start)).split('\n');
    return header.split(',').includes(csvCell(column));
  } finally {
    closeSync(file);
  }
}

/** The column of groups in a table that we write. */
export function groupColumnOf(classNames: readonly string[]): string {
  let column = 'group';
  while (classNames.includes(column)) column = `(${column})`;
  return column;
}

/** Whether a column has the name of {@link groupColumnOf}. */
function isGroupColumn(column: string): boolean {
  return /^\(*group\)*$/.test(column);
}

/** Columns that predictions have besides those of the classes; the group stands right after the name, the others come last. */
const addedColumns = ['group', 'presence', 'gate', 'thresholds', 'top', 'outcome', 'odd', 'labels'] as const;
type AddedColumn = (typeof addedColumns)[number];

/**
 * Returns how predictions name the columns that they add: in parentheses, all of them, if a class has the name of one.
 *
 * @example
 * addedColumnOf(['crack', 'odd'])('outcome') // '(outcome)'
 */
export function addedColumnOf(classNames: readonly string[]): (column: AddedColumn) => string {
  let depth = 0;
  while (addedColumns.some((column) => classNames.includes(inParentheses(column, depth)))) depth++;
  return (column) => inParentheses(column, depth);
}

function inParentheses(column: AddedColumn, depth: number): string {
  return `${'('.repeat(depth)}${column}${')'.repeat(depth)}`;
}

/** The added columns of predictions; none in other tables. Only predictions have the column of labels. */
function addedIn(columns: readonly string[]): ReadonlySet<number> {
  const labels = columns.findLast((column) => /^\(*labels\)*$/.test(column));
  if (labels === undefined) return new Set();
  const depth = labels.indexOf('labels');
  const [group, ...others] = addedColumns.map((column) => columns.indexOf(inParentheses(column, depth)));
  return new Set(group === 1 ? [group, ...others] : others);
}

function* tableText({ names, groups, classNames, values }: TableToWrite): Generator<string> {
  const groupColumns = groups ? [groupColumnOf(classNames)] : [];
  yield `${['Filename', ...groupColumns, ...classNames].map(csvCell).join(',')}\n`;
  let lines: string[] = [];
  let at = 0;
  let row = 0;
  for (const name of names) {
    const cells = classNames.map((_, j) => numberCell(values[at + j]!));
    at += classNames.length;
    const group = groups ? `${csvCell(groups[row++]!)},` : '';
    lines.push(`${csvCell(name)},${group}${cells.join(',')}\n`);
    if (lines.length < 1000) continue;
    yield lines.join('');
    lines = [];
  }
  yield lines.join('');
}

export interface ReadTableOptions {
  /** The column with the group of each row; it must be there, and have a value in each row. */
  readonly groupColumn?: string | undefined;
  /** Names that the rows probably have, such as those of the labels; saves their memory. */
  readonly likely?: readonly string[] | undefined;
}

/**
 * Reads a table of probabilities or labels. Errors name the full path, because many runs have a `test.csv`.
 *
 * @example
 * (await readTable('scores.csv')).classNames // ['crack', 'roots']
 * (await readTable('labels.csv', { groupColumn: 'patient' })).groups // ['p17', 'p17', 'p4', …]
 */
export async function readTable(path: string, options: ReadTableOptions = {}): Promise<NamedTable> {
  if (!existsSync(path)) throw new UserError(`${path}: no such file`);
  verifyScoreFile(path);
  const plain = readPlainTable(path, options.groupColumn, options.likely);
  return plain ? { ...plain, path } : await readAnyTable(path, options);
}

async function readAnyTable(path: string, { groupColumn }: ReadTableOptions): Promise<NamedTable> {
  const names: string[] = [];
  const groups: string[] = [];
  const values: number[] = [];
  const lines: number[] = [];
  let classNames: readonly string[] = [];
  const readHeader = (columns: readonly string[]) => {
    const nameAt = columns.findIndex((column) => column.toLowerCase() === 'filename');
    if (nameAt < 0) throw new DataError(`${path}: no column 'Filename'`);
    const groupAt = groupColumn === undefined ? -1 : columns.indexOf(groupColumn);
    if (groupColumn !== undefined && groupAt < 0)
      throw new DataError(`${path}: no column '${groupColumn}' with groups; it has ${columns.join(', ')}`);
    const added = addedIn(columns);
    const classAt = columns.flatMap((_, i) => (i === nameAt || i === groupAt || added.has(i) ? [] : [i]));
    classNames = classAt.map((i) => columns[i]!);
    return (cells: readonly string[], line: number) => {
      names.push(cells[nameAt]!);
      lines.push(line);
      if (groupAt >= 0)
        groups.push(givenGroup(cells[groupAt]!, `${path}, line ${line}: group '${groupColumn}'`));
      for (const i of classAt)
        values.push(readNumber(cells[i]!, { path, line, column: columns[i]!, groupColumn }));
    };
  };
  await readCsv(path, readHeader, path);
  if (names.length === 0) throw new UserError(`${path}: has a header but no rows`);
  const table = { names, classNames, values: Float64Array.from(values), path, lines };
  return groupColumn === undefined ? table : { ...table, groups };
}

function givenGroup(cell: string, where: string): string {
  if (cell.trim() === '') throw new DataError(`${where} is empty; expected the group of the row`);
  return cell.trim();
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
    const suspect = missing.find(isGroupColumn) ?? (missing.length === 1 ? missing[0] : undefined);
    const hint = suspect === undefined ? '' : groupsHint(`'${suspect}' of the labels`);
    throw new UserError(
      `${scores.path ?? 'the score table'}: lacks the ${missing.length === 1 ? 'class' : 'classes'} ${missing.join(', ')}; it has ${scores.classNames.join(', ')}${hint}`,
      suspect === undefined ? {} : { setting: 'groupColumn' },
    );
  }
  checkCells(scores, labels.classNames, isProbability, 'a probability from 0 to 1');
  checkCells(labels, labels.classNames, isLabel, '0 to 1 (or empty for unknown)');
  const values = columnsOf(scores, labels.classNames);
  try {
    const scored = scoredByName(
      { names: scores.names, scores: values },
      { names: labels.names, targets: labels.values },
      labels.classNames,
    );
    return {
      ...scored,
      ...(split !== undefined && { split }),
      ...(labels.groups && { groups: labels.groups }),
    };
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    const [first, second] = [scores.path ?? 'the scores', labels.path ?? 'the labels'];
    throw new UserError(`${first} and ${second} do not match: ${error.message}`);
  }
}

function groupsHint(what: string): string {
  return `; if ${what} holds groups, name it as the column of groups`;
}

/** Returns the values of some classes; the table's own if those are its classes. */
function columnsOf({ values, classNames, names }: NamedTable, wanted: readonly string[]): Float64Array {
  const columns = wanted.map((name) => classNames.indexOf(name));
  const width = classNames.length;
  if (width === columns.length && columns.every((column, j) => column === j))
    return values instanceof Float64Array ? values : Float64Array.from(values);
  const chosen = new Float64Array(names.length * columns.length);
  for (let row = 0; row < names.length; row++) {
    for (let j = 0; j < columns.length; j++)
      chosen[row * columns.length + j] = values[row * width + columns[j]!]!;
  }
  return chosen;
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

interface NumberPlace {
  readonly path: string;
  readonly line: number;
  readonly column: string;
  readonly groupColumn: string | undefined;
}

function readNumber(text: string, { path, line, column, groupColumn }: NumberPlace): number {
  if (text.trim() === '') return Number.NaN;
  const value = Number(text);
  if (!Number.isNaN(value)) return value;
  // Of one table, one column holds groups.
  const isNamed = groupColumn !== undefined;
  throw new DataError(
    `${path}, line ${line}: class '${column}' holds '${text}'; expected a number (or empty for unknown)${isNamed ? '' : groupsHint('the column')}`,
    isNamed ? {} : { setting: 'groupColumn' },
  );
}
