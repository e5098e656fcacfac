// Scores and labels as CSV: `Filename` and one column per class, probabilities or 0/1 (empty where unknown).

import { basename } from 'node:path';
import { type Scored, scoredByName } from '@anyclass/core';
import { readCsv } from '../data/readers/csv.js';
import { writeWhole } from '../files/wholeFile.js';
import { UserError } from '../userError.js';
import { readPlainTable } from './plainTable.js';

/** Rows by file name, with an entry for each class: a probability, or 0, 1 and NaN. */
export interface NamedTable {
  readonly names: readonly string[];
  readonly classNames: readonly string[];
  readonly values: Float64Array;
}

export interface TableToWrite {
  readonly names: Iterable<string>;
  readonly classNames: readonly string[];
  readonly values: ArrayLike<number>;
}

/**
 * Writes a table. Numbers are written with all their digits: what is read back is the same.
 *
 * @example
 * writeTable('scores.csv', { names: ['a.png'], classNames: ['crack'], values: [0.25] }) // Filename,crack\na.png,0.25
 */
export function writeTable(path: string, table: TableToWrite): void {
  writeWhole(path, tableText(table));
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
 * Reads a table of probabilities or labels.
 *
 * @example
 * (await readTable('scores.csv')).classNames // ['crack', 'roots']
 */
export async function readTable(path: string): Promise<NamedTable> {
  return readPlainTable(path) ?? (await readAnyTable(path));
}

async function readAnyTable(path: string): Promise<NamedTable> {
  const names: string[] = [];
  const values: number[] = [];
  let classNames: readonly string[] = [];
  await readCsv(path, (columns) => {
    const nameAt = columns.findIndex((column) => column.toLowerCase() === 'filename');
    if (nameAt < 0) throw new UserError(`${basename(path)}: has no column 'Filename'`);
    // `labels` is what `predict` adds for people to read.
    const classAt = columns.flatMap((column, i) => (i === nameAt || column === 'labels' ? [] : [i]));
    classNames = classAt.map((i) => columns[i]!);
    return (cells, line) => {
      names.push(cells[nameAt]!);
      for (const i of classAt)
        values.push(readNumber(cells[i]!, `${basename(path)}, line ${line}: ${columns[i]}`));
    };
  });
  if (names.length === 0) throw new UserError(`${basename(path)}: a header and no rows below it`);
  return { names, classNames, values: Float64Array.from(values) };
}

/**
 * Scores beside labels, matched by file name. The classes are those of the labels; scores of others are left out.
 *
 * @example
 * const scored = joinTables(await readTable('scores.csv'), await readTable('labels.csv'));
 */
export function joinTables(scores: NamedTable, labels: NamedTable, split?: string): Scored {
  const missing = labels.classNames.filter((name) => !scores.classNames.includes(name));
  if (missing.length > 0) {
    throw new UserError(
      `the scores lack the ${missing.length === 1 ? 'class' : 'classes'} ${missing.join(', ')}; they have ${scores.classNames.join(', ')}`,
    );
  }
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
    throw error instanceof RangeError ? new UserError(error.message) : error;
  }
}

/** A text as one cell. */
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
    throw new UserError(`${where} holds '${text}'; expected a number (or empty for unknown)`);
  return value;
}
