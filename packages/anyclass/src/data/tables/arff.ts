// ARFF, the table format of Weka, Mulan, and MEKA:
// https://waikato.github.io/weka-wiki/formats_and_processing/arff_stable/

import { basename } from 'node:path';
import { counted } from '../../errors/counted.js';
import { DataError } from '../../errors/dataError.js';
import { decimal } from './featureCells.js';
import { readLines } from './lines.js';

/** A column of an ARFF file. */
export interface ArffAttribute {
  readonly name: string;
  readonly kind: 'numeric' | 'nominal' | 'string' | 'date';
  /** The values of a nominal attribute, in order. */
  readonly values: readonly string[];
}

export interface ArffHeader {
  readonly relation: string;
  readonly attributes: readonly ArffAttribute[];
}

/** Called with each row: one text per attribute, '' for a missing value. */
export type ArffRowReader = (cells: readonly string[], line: number) => void;

/**
 * Reads an ARFF file row by row, dense or sparse. `begin` receives the header and returns a function to call
 * with each row. Numbers and nominal values are checked; every error names the file and line.
 *
 * @example
 * await readArff('scene.arff', ({ attributes }) => (cells, line) => console.log(line, cells.length === attributes.length))
 */
export async function readArff(path: string, begin: (header: ArffHeader) => ArffRowReader): Promise<void> {
  const file = basename(path);
  const attributes: ArffAttribute[] = [];
  let relation = '';
  let readRow: ArffRowReader | undefined;
  for await (const [line, number] of readLines(path, file)) {
    const text = line.trim();
    if (text === '' || text.startsWith('%')) continue;
    const where = () => `${file}, line ${number}`;
    if (readRow) {
      readRow(rowCells(text, attributes, where), number);
      continue;
    }
    const [, keyword = '', rest = ''] = /^@(\w+)\s*(.*)$/.exec(text) ?? [];
    if (keyword.toLowerCase() === 'relation') relation = splitValues(rest, '', where)[0] ?? '';
    else if (keyword.toLowerCase() === 'attribute') attributes.push(attribute(rest, where));
    else if (keyword.toLowerCase() === 'data' && rest === '') {
      refuseRepeats(attributes, where);
      readRow = begin({ relation, attributes });
    } else
      throw new DataError(`${where()}: '${text.slice(0, 40)}'; expected @relation, @attribute, or @data`);
  }
  if (!readRow) throw new DataError(`${file}: no @data; is this an ARFF file, and is it complete?`);
}

function attribute(text: string, where: () => string): ArffAttribute {
  const [, quoted, plain, type = ''] = /^(?:(["'].*?(?<!\\)["'])|(\S+))\s+(.+)$/.exec(text) ?? [];
  const name = quoted === undefined ? (plain ?? '') : unquoted(quoted, where);
  if (name === '') throw new DataError(`${where()}: an @attribute without a name and a type`);
  if (type.startsWith('{')) {
    if (!type.endsWith('}')) throw new DataError(`${where()}: the values of '${name}' have no closing }`);
    return { name, kind: 'nominal', values: splitValues(type.slice(1, -1), ',', where) };
  }
  const word = type.split(/\s/)[0]!.toLowerCase();
  if (word === 'numeric' || word === 'real' || word === 'integer')
    return { name, kind: 'numeric', values: [] };
  if (word === 'string' || word === 'date') return { name, kind: word, values: [] };
  throw new DataError(
    `${where()}: attribute '${name}' is '${type}'; expected numeric, string, date, or {values}`,
  );
}

function rowCells(text: string, attributes: readonly ArffAttribute[], where: () => string): string[] {
  const cells = text.startsWith('{') ? sparseCells(text, attributes, where) : splitValues(text, ',', where);
  if (cells.length !== attributes.length) {
    throw new DataError(
      `${where()}: ${counted(cells.length, 'value')} for ${counted(attributes.length, 'attribute')}`,
    );
  }
  return cells.map((cell, i) => checkedCell(cell, attributes[i]!, where));
}

/**
 * `{1 0.5, 3 yes}`: values by attribute number. The others are 0, or the first value of a nominal attribute.
 */
function sparseCells(text: string, attributes: readonly ArffAttribute[], where: () => string): string[] {
  if (!text.endsWith('}')) throw new DataError(`${where()}: a sparse row without a closing }`);
  const cells = attributes.map(({ kind, values }) => (kind === 'nominal' ? (values[0] ?? '') : '0'));
  const seen = new Set<number>();
  const inside = text.slice(1, -1).trim();
  for (const entry of inside === '' ? [] : splitPlaces(inside)) {
    const [, digits, value = ''] = /^\s*(\d+)\s+(.+?)\s*$/s.exec(entry) ?? [];
    const index = digits === undefined ? -1 : Number(digits);
    if (index < 0 || index >= attributes.length || seen.has(index)) {
      throw new DataError(
        `${where()}: '${entry.trim()}' in a sparse row; expected an attribute number, at most once, and a value`,
      );
    }
    seen.add(index);
    cells[index] = splitValues(value, '', where)[0] ?? '';
  }
  return cells;
}

function checkedCell(cell: string, { name, kind, values }: ArffAttribute, where: () => string): string {
  if (cell === '?') return '';
  if (kind === 'nominal' && !values.includes(cell)) {
    throw new DataError(`${where()}: '${name}' is '${cell}'; expected one of ${values.join(', ')}`);
  }
  if (kind === 'numeric' && !Number.isFinite(decimal(cell))) {
    throw new DataError(`${where()}: '${name}' is '${cell}'; expected a number`);
  }
  return cell;
}

function refuseRepeats(attributes: readonly ArffAttribute[], where: () => string): void {
  const names = attributes.map(({ name }) => name);
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice !== undefined)
    throw new DataError(`${where()}: attribute '${twice}' appears twice in the header`);
  if (names.length === 0) throw new DataError(`${where()}: no @attribute before @data`);
}

/** The values between commas (or a single one, without a separator), with quotes removed. */
function splitValues(text: string, separator: ',' | '', where: () => string): string[] {
  if (!/["']/.test(text))
    return separator === '' ? [text.trim()] : text.split(',').map((value) => value.trim());
  return (separator === '' ? [text] : splitPlaces(text)).map((value) => unquoted(value.trim(), where));
}

/**
 * Splits at commas outside quotes. Flag `s`: text may contain U+2028, which `.` would
 * otherwise take for a line end.
 */
function splitPlaces(text: string): string[] {
  return text.match(/(?:"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|[^,])+|(?<=,|^)(?=,|$)/gs) ?? [];
}

function unquoted(text: string, where: () => string): string {
  const [quote] = text;
  if (quote !== '"' && quote !== "'") return text;
  if (text.length < 2 || !text.endsWith(quote))
    throw new DataError(`${where()}: a quote is never closed: ${text.slice(0, 40)}`);
  return text.slice(1, -1).replaceAll(/\\(.)/gs, '$1');
}
