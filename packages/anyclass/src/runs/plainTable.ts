// Reads tables from `writeTable`, many times faster than a general CSV parser; a comparison reads dozens. A file is read in
// pieces, twice: once to count its rows, once for their values.

import { existsSync } from 'node:fs';
import type { NamedTable } from './namedTable.js';
import { linesOf, newline } from './wholeLines.js';

const [comma, carriageReturn, quote, space, point] = [0x2c, 0x0d, 0x22, 0x20, 0x2e];
const [zero, nine] = [0x30, 0x39];

/**
 * Reads a table whose first column is `Filename` and whose other columns are numbers, with nothing quoted;
 * undefined for any other file, valid or not.
 *
 * @param groupColumn the name of the second column, if that holds groups
 * @param likely names that the rows probably have; those that do share their memory
 *
 * @example
 * readPlainTable('scores.csv')?.classNames // ['crack', 'roots']
 */
export function readPlainTable(
  path: string,
  groupColumn?: string,
  likely: readonly string[] = [],
): NamedTable | undefined {
  const shape = existsSync(path) ? shapeOf(path) : undefined;
  if (shape === undefined) return undefined;
  const [first, ...columns] = shape.header.split(',');
  const classNames = groupColumn === undefined ? columns : columns.slice(1);
  if (first !== 'Filename' || (groupColumn !== undefined && columns[0] !== groupColumn)) return undefined;
  if (!areClassNames(classNames) || shape.rows === 0) return undefined;
  const names: string[] = [];
  const groups: string[] = [];
  const texts = groupColumn === undefined ? [names] : [names, groups];
  const cells = new Cells(shape.rows * classNames.length);
  let isHeader = true;
  for (const lines of linesOf(path)) {
    const start = isHeader ? lines.indexOf(newline) + 1 : 0;
    isHeader = false;
    if (!readRows(lines, start, texts, likely, classNames.length, cells)) return undefined;
  }
  return { names, classNames, values: cells.values, ...(groupColumn !== undefined && { groups }) };
}

/** Returns the header and the number of rows; undefined if anything is quoted, or lines end otherwise. */
function shapeOf(path: string): { readonly header: string; readonly rows: number } | undefined {
  let header: string | undefined;
  let lines = 0;
  for (const piece of linesOf(path)) {
    if (piece.includes(quote) || piece.includes(carriageReturn) || piece.at(-1) !== newline) return undefined;
    header ??= piece.toString('utf8', 0, piece.indexOf(newline));
    for (let at = piece.indexOf(newline); at >= 0; at = piece.indexOf(newline, at + 1)) lines++;
  }
  return header === undefined ? undefined : { header, rows: lines - 1 };
}

/** Values in little memory: a byte each as long as all are 0 or 1, as labels are. */
class Cells {
  values: Uint8Array | Float64Array;
  #filled = 0;

  constructor(count: number) {
    this.values = new Uint8Array(count);
  }

  add(value: number): void {
    if (this.values instanceof Uint8Array && !(value === 1 || Object.is(value, 0))) {
      const wide = new Float64Array(this.values.length);
      for (let i = 0; i < this.#filled; i++) wide[i] = this.values[i]!;
      this.values = wide;
    }
    this.values[this.#filled++] = value;
  }
}

/** Adds the rows of whole lines; false if they are not those of a plain table. */
function readRows(
  bytes: Buffer,
  start: number,
  texts: readonly string[][],
  likely: readonly string[],
  classes: number,
  cells: Cells,
): boolean {
  for (let at = start; at < bytes.length; ) {
    for (const column of texts) {
      const end = bytes.indexOf(comma, at);
      if (end < 0) return false;
      const text = bytes.toString('utf8', at, end);
      if (text.trim() !== text || text === '' || text.includes('\n')) return false;
      const expected = likely[column.length];
      column.push(text === expected ? expected : text);
      at = end + 1;
    }
    for (let j = 0; j < classes; j++) {
      const end = cellEnd(bytes, at);
      if ((bytes[end] === newline) !== (j === classes - 1)) return false;
      const value = numberAt(bytes, at, end);
      if (value === undefined) return false;
      cells.add(value);
      at = end + 1;
    }
  }
  return true;
}

/** Whether the names are unproblematic; the general reader handles or reports all others. */
function areClassNames(names: readonly string[]): boolean {
  const isPlain = (name: string) => name !== '' && name.trim() === name && name !== 'labels';
  return names.length > 0 && names.every(isPlain) && new Set(names).size === names.length;
}

const powersOfTen = Float64Array.from({ length: 23 }, (_, power) => Number(`1e${power}`));
/** One more digit stays below 2^53. */
const mostDigits = 9e14;

/**
 * Returns NaN for an empty cell, which is an unknown label; undefined for text that is not a number.
 *
 * A decimal number with few digits is an integer over a power of ten. Both are exact in float64, so their quotient is the
 * number nearest to the text, as from `Number`.
 */
function numberAt(bytes: Buffer, start: number, end: number): number | undefined {
  if (end === start) return Number.NaN;
  let digits = 0;
  let integer = 0;
  let pointAt = -1;
  for (let at = start; at < end; at++) {
    const byte = bytes[at]!;
    if (byte >= zero && byte <= nine && integer < mostDigits) {
      integer = 10 * integer + (byte - zero);
      digits++;
    } else if (byte === point && pointAt < 0) pointAt = at;
    else return otherNumber(bytes, start, end);
  }
  const decimals = pointAt < 0 ? 0 : end - pointAt - 1;
  if (digits === 0 || decimals >= powersOfTen.length) return otherNumber(bytes, start, end);
  return decimals === 0 ? integer : integer / powersOfTen[decimals]!;
}

function otherNumber(bytes: Buffer, start: number, end: number): number | undefined {
  if (bytes[start] === space) return undefined;
  const value = Number(bytes.toString('latin1', start, end));
  return Number.isNaN(value) ? undefined : value;
}

function cellEnd(bytes: Buffer, start: number): number {
  let end = start;
  while (bytes[end] !== comma && bytes[end] !== newline) end++;
  return end;
}
